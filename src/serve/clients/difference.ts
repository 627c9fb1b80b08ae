import type { Style } from '../print/style.js';
import { visibleLine } from '../print/visible.js';

const around = 2;

/** The lines that differ, with a little of what is around them. Values that look secret are not shown. */
export function printDifference(before: string, after: string, style: Style): string {
  const old = linesOf(before);
  const made = linesOf(after);
  let start = 0;
  while (start < old.length && start < made.length && old[start] === made[start]) start++;
  let same = 0;
  while (
    same < old.length - start &&
    same < made.length - start &&
    old[old.length - 1 - same] === made[made.length - 1 - same]
  )
    same++;
  const from = Math.max(0, start - around);
  const line = (sign: string, text: string) => `${sign} ${visibleLine(masked(text))}`;
  return [
    style.dim(`@@ line ${from + 1} @@`),
    ...made.slice(from, start).map((it) => line(' ', it)),
    ...old.slice(start, old.length - same).map((it) => style.error(line('-', it))),
    ...made.slice(start, made.length - same).map((it) => style.good(line('+', it))),
    ...made.slice(made.length - same, made.length - same + around).map((it) => line(' ', it)),
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

/** A preview ends up in logs and on shared screens; neither our token nor anybody's should. */
export function masked(text: string): string {
  return text
    .replace(secretMember, '$1"•••"')
    .replace(/\b(Bearer|Basic) ([^"\s]+)/gi, (all, scheme: string, value: string) =>
      reference.test(value) ? all : `${scheme} •••`,
    );
}
