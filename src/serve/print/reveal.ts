import { domainToASCII } from 'node:url';
import { codePointName, findLookalikes } from '../../model/unicode.js';
import { visible, visibleLine } from './visible.js';

const hostLike = /[\p{L}\p{M}\p{N}-]+(?:[.\u3002\uFF0E\uFF61][\p{L}\p{M}\p{N}-]+)+/gu;

/**
 * Text for a person to judge, with everything deceptive made visible: hidden characters, unusual or very many spaces,
 * words that mix alphabets, and host names in their ASCII form.
 */
export function reveal(text: string): string {
  const plain = /^[\x20-\x7e\n]*$/.test(text);
  const revealed = plain ? text : visible(annotated(text)).replace(/(?! )\p{Zs}/gu, named);
  // Spaces at the start of a line are indentation.
  return revealed.replace(/(?<=\S) {9,}/g, (run) => `<${run.length} spaces>`);
}

/** The same on one line. */
export function revealLine(text: string): string {
  return visibleLine(reveal(text));
}

/** A value as indented JSON. */
export function revealJson(value: unknown): string {
  return reveal(JSON.stringify(value, null, 2));
}

function named(character: string): string {
  return `<${codePointName(character.codePointAt(0) as number)}>`;
}

/** Adds a note after each word that looks like another one. */
function annotated(text: string): string {
  const notes = new Map<number, string>();
  for (const { word, index, codePoint, script } of findLookalikes(text))
    notes.set(index + word.length, `<${script} ${codePointName(codePoint)}>`);
  for (const match of text.matchAll(hostLike)) {
    const [name] = match;
    if (/^[\x21-\x7e]*$/.test(name)) continue;
    const spelled = domainToASCII(name);
    if (/\bxn--/.test(spelled)) notes.set(match.index + name.length, `<${spelled}>`);
  }
  let shown = '';
  let from = 0;
  for (const [at, note] of [...notes].sort((a, b) => a[0] - b[0])) {
    shown += text.slice(from, at) + note;
    from = at;
  }
  return shown + text.slice(from);
}
