import type { Style } from '../print/style.js';
import { visibleLine } from '../print/visible.js';

/** Unchanged lines shown before and after a change. */
const contextLines = 2;

/** The lines that differ, with some context. Values that look secret are masked. */
export function printDiff(before: string, after: string, style: Style): string {
  const old = linesOf(before);
  const added = linesOf(after);
  let start = 0;
  while (start < old.length && start < added.length && old[start] === added[start]) start++;
  let same = 0;
  while (
    same < old.length - start &&
    same < added.length - start &&
    old[old.length - 1 - same] === added[added.length - 1 - same]
  )
    same++;
  const from = Math.max(0, start - contextLines);
  const line = (sign: string, text: string) => `${sign} ${visibleLine(maskSecrets(text))}`;
  return [
    style.dim(`@@ line ${from + 1} @@`),
    ...added.slice(from, start).map((it) => line(' ', it)),
    ...old.slice(start, old.length - same).map((it) => style.error(line('-', it))),
    ...added.slice(start, added.length - same).map((it) => style.good(line('+', it))),
    ...added.slice(added.length - same, added.length - same + contextLines).map((it) => line(' ', it)),
    '',
  ].join('\n');
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

const secretMember =
  /("[^"]*(?:token|secret|password|passwd|credential|api[-_ ]?key|private[-_ ]?key|access[-_ ]?key|_key)[^"]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;
const reference = /^(?:\$\w+|\$\{[^}]*\})$/;

/** Previews end up in logs and on shared screens, so tokens and passwords are masked. */
export function maskSecrets(text: string): string {
  return text
    .replace(secretMember, '$1"•••"')
    .replace(/\b(Bearer|Basic) ([^"\s]+)/gi, (all, scheme: string, value: string) =>
      reference.test(value) ? all : `${scheme} •••`,
    );
}
