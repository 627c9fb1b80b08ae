import { domainToASCII } from 'node:url';
import { codePointName, findLookalikes } from '../../model/unicode.js';
import { visible, visibleLine } from './visible.js';

const hostLike = /[\p{L}\p{M}\p{N}-]+(?:[.\u3002\uFF0E\uFF61][\p{L}\p{M}\p{N}-]+)+/gu;

/**
 * What a person is asked to judge, with nothing in it that looks like something else: hidden characters, unusual and
 * very many spaces, words that mix alphabets, and names of hosts as machines spell them.
 */
export function reveal(text: string): string {
  const plain = /^[\x20-\x7e\n]*$/.test(text);
  const told = plain ? text : visible(annotated(text)).replace(/(?! )\p{Zs}/gu, named);
  // At the start of a line they only set it in.
  return told.replace(/(?<=\S) {9,}/g, (run) => `<${run.length} spaces>`);
}

/** The same on one line. */
export function revealLine(text: string): string {
  return visibleLine(reveal(text));
}

/** A value as JSON that people can read. */
export function revealJson(value: unknown): string {
  return reveal(JSON.stringify(value, null, 2));
}

function named(character: string): string {
  return `<${codePointName(character.codePointAt(0) as number)}>`;
}

/** Says behind a word what cannot be seen in it. */
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
