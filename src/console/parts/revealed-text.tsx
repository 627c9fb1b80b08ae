import type { ComponentChildren } from 'preact';
import { codePointName, findHidden, findLookalikes } from '../../model/unicode.js';

interface Note {
  readonly from: number;
  /** Empty if the note only adds something. */
  readonly to: number;
  readonly text: string;
}

const hostLike = /[\p{L}\p{M}\p{N}-]+(?:[.\u3002\uFF0E\uFF61][\p{L}\p{M}\p{N}-]+)+/gu;

/**
 * Letters that are written from right to left. Without an element of their own they reorder what stands beside them; the order
 * of mixed text is always that of this page, whatever letter it begins with.
 */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Text that somebody else wrote, for a person to judge. It is only ever text. Everything deceptive is marked: hidden
 * characters, unusual or very many spaces, words that mix alphabets, and host names that look like others.
 */
export function RevealedText({ text }: { readonly text: string }) {
  const parts: ComponentChildren[] = [];
  let at = 0;
  const isRightToLeft = rightToLeft.test(text);
  for (const { from, to, text: note } of notesOf(text)) {
    if (from < at) continue;
    if (from > at) parts.push(text.slice(at, from));
    parts.push(
      <mark key={from} class="hidden-character" title="not visible or deceptive in the original">
        {note}
      </mark>,
    );
    at = to;
  }
  if (at < text.length) parts.push(text.slice(at));
  return isRightToLeft ? <bdi dir="ltr">{parts}</bdi> : <>{parts}</>;
}

function notesOf(text: string): readonly Note[] {
  const notes: Note[] = [];
  for (const match of text.matchAll(/(?<=\S) {9,}/g))
    notes.push({ from: match.index, to: match.index + match[0].length, text: `‹${match[0].length} spaces›` });
  if (/^[\x20-\x7e\n]*$/.test(text)) return notes;
  for (const { index, codePoint } of findHidden(text)) {
    const length = String.fromCodePoint(codePoint).length;
    notes.push({ from: index, to: index + length, text: `‹${codePointName(codePoint)}›` });
  }
  for (const match of text.matchAll(/(?! )\p{Zs}/gu))
    notes.push({
      from: match.index,
      to: match.index + match[0].length,
      text: `‹${codePointName(match[0].codePointAt(0) as number)}›`,
    });
  for (const { word, index, codePoint, script } of findLookalikes(text)) {
    const end = index + word.length;
    notes.push({ from: end, to: end, text: `‹${script} ${codePointName(codePoint)}›` });
  }
  for (const match of text.matchAll(hostLike)) {
    if (/^[\x21-\x7e]*$/.test(match[0])) continue;
    const spelled = asciiName(match[0]);
    const end = match.index + match[0].length;
    if (spelled !== undefined) notes.push({ from: end, to: end, text: `‹${spelled}›` });
  }
  return notes.sort((a, b) => a.from - b.from);
}

/** The form of a host name that is used on the wire, if it differs. */
function asciiName(name: string): string | undefined {
  const url = `http://${name}`;
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return /\bxn--/.test(host) ? host : undefined;
}
