import { codePointName, findHidden } from '../../model/unicode.js';

/**
 * Makes untrusted text safe for a terminal: control and hidden characters appear as their names, so that the text cannot
 * move the cursor, change colors or hide anything.
 */
export function visible(text: string): string {
  const hidden = findHidden(text);
  if (hidden.length === 0) return text;
  let shown = '';
  let from = 0;
  for (const { index, codePoint } of hidden) {
    shown += `${text.slice(from, index)}<${codePointName(codePoint)}>`;
    from = index + String.fromCodePoint(codePoint).length;
  }
  return shown + text.slice(from);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text.replace(/\r?\n|\r/g, ' ⏎ ').replaceAll('\t', ' '));
}
