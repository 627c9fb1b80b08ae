// How a text can say a short value without containing it. An agent that undoes it passes on the value of the text.
import { toBase32, toBase64, toHex, utf8 } from '../scan/encoding.js';
import { squeeze } from './folded-text.js';
import { isWhole, matchIn, offsetIn, type SourceMatch } from './indexed-leaf.js';
import type { ValueIndex } from './value-index.js';

/** Longer values are found by their parts. */
const maxLength = 64;
/** Places inside of other words that are looked at for one value. */
const maxInsideWords = 50;

/** Whether a value was seen reversed, encoded, in pieces, or with signs between its letters. */
export function findDisguised(index: ValueIndex, value: string): SourceMatch | undefined {
  const text = value.trim();
  if (text.length < 3 || text.length > maxLength) return undefined;
  const plain = squeeze(text);
  const spelled = plain.length < 4 ? undefined : findSpelled(index, plain);
  if (spelled !== undefined) return spelled;
  const assembled = index.findAssembled(text);
  if (assembled !== undefined) return assembled;
  for (const it of disguises(text)) {
    const found = index.findToken(it);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Where a value stands from the start of a word to the end of one, with signs or spaces between its letters: `M a l l o r y`.
 * After many places inside of words, it counts as found.
 */
function findSpelled(index: ValueIndex, squeezed: string): SourceMatch | undefined {
  let run = index.nextRun(squeezed, 0);
  for (let left = maxInsideWords; run !== undefined; left--) {
    const { at, leaf } = run;
    const first = offsetIn(leaf.text, at - leaf.start);
    const last = offsetIn(leaf.text, at - leaf.start + squeezed.length - 1);
    if (left === 0 || isWhole(leaf.text, first, last)) return matchIn(leaf, first);
    run = index.nextRun(squeezed, at + 1);
  }
  return undefined;
}

function disguises(text: string): Set<string> {
  const lower = text.toLowerCase();
  const capital = `${lower.charAt(0).toUpperCase()}${lower.slice(1)}`;
  const found = new Set([[...text].reverse().join(''), rotated(text)]);
  for (const it of new Set([text, lower, text.toUpperCase(), capital])) {
    const bytes = utf8(it);
    for (const encoded of [toBase64(bytes), toHex(bytes), toBase32(bytes)]) found.add(encoded);
  }
  return found;
}

/** ROT13. */
function rotated(text: string): string {
  return text.replace(/[A-Za-z]/g, (it) => {
    const first = it <= 'Z' ? 65 : 97;
    return String.fromCharCode(((it.charCodeAt(0) - first + 13) % 26) + first);
  });
}
