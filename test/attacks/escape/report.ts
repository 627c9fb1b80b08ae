import type { Language } from './attempt.js';

/** One line of the table at the end. */
export interface Line {
  readonly name: string;
  readonly language: Language;
  /** What showed that it would succeed; null when nothing could, and then it does not count. */
  readonly control: string | null;
  /** Why there is no control. */
  readonly reason?: string;
}

export function tableOf(lines: readonly Line[]): string {
  const sorted = [...lines].sort(
    (a, b) =>
      Number(a.control === null) - Number(b.control === null) ||
      a.name.localeCompare(b.name) ||
      a.language.localeCompare(b.language),
  );
  const wide = Math.max(...sorted.map((it) => it.name.length));
  const rows = sorted.map(
    ({ name, language, control, reason }) =>
      `  ${name.padEnd(wide)}  ${language.padEnd(6)}  ${control ?? `no-control: ${reason}`}`,
  );
  const counted = sorted.filter((it) => it.control !== null).length;
  return `\nEscape suite: ${counted} checks with a control, ${sorted.length - counted} without\n${rows.join('\n')}\n`;
}
