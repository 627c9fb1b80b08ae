import type { Language } from './attempt.js';

/** One row of the table at the end. */
export interface Row {
  readonly name: string;
  readonly language: Language;
  /** What showed that the attempt would succeed; null: there is no control, and the check does not count. */
  readonly control: string | null;
  /** Why there is no control. */
  readonly reason?: string;
}

export function tableOf(rows: readonly Row[]): string {
  const sorted = [...rows].sort(
    (a, b) =>
      Number(a.control === null) - Number(b.control === null) ||
      a.name.localeCompare(b.name) ||
      a.language.localeCompare(b.language),
  );
  const width = Math.max(...sorted.map((it) => it.name.length));
  const text = sorted.map(
    ({ name, language, control, reason }) =>
      `  ${name.padEnd(width)}  ${language.padEnd(6)}  ${control ?? `no-control: ${reason}`}`,
  );
  const counted = sorted.filter((it) => it.control !== null).length;
  return `\nEscape suite: ${counted} checks with a control, ${sorted.length - counted} without\n${text.join('\n')}\n`;
}
