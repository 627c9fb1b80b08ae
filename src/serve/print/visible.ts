import { codePointName, replaceHidden } from '../../model/unicode.js';

/**
 * Makes untrusted text safe for a terminal: control and hidden characters appear as their names, so that the text cannot
 * move the cursor, change colors or hide anything.
 */
export function visible(text: string): string {
  return replaceHidden(text, (codePoint) => `<${codePointName(codePoint)}>`);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text.replace(/\r?\n|\r/g, ' ⏎ ').replaceAll('\t', ' '));
}
