import { signal } from '@preact/signals';

/** Milliseconds since 1970, once a second. Reading it keeps a text up to date. */
export const clock = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === 'visible') clock.value = Date.now();
}, 1000);

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** How long ago, or in how much time; the exact time is its title. */
export function TimeText({ at }: { readonly at: number }) {
  const exact = new Date(at);
  return (
    <time dateTime={exact.toISOString()} title={dateText(exact)}>
      {relative(at - clock.value)}
    </time>
  );
}

/** A day and a time that are read the same everywhere: 19 Nov 2026, 21:58:16. */
export function dateText(date: Date): string {
  return date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

function relative(ms: number): string {
  const [unit, size] = units.find((it) => Math.abs(ms) >= it[1]) ?? (['second', 1000] as const);
  return format.format(Math.trunc(ms / size), unit);
}
