/** A duration in the unit that people read it in. */
export function msText(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 1) return '< 1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return spanText(ms);
}

const spans: readonly (readonly [string, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** A span of time in its largest unit, such as `3 hours`. */
export function spanText(ms: number): string {
  const [unit, size] = spans.find((it) => ms >= it[1]) ?? (['second', 1000] as const);
  const count = Math.round((ms / size) * 10) / 10;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

export function countText(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
