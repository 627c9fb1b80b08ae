import type { DecodedView } from './decoded-view.js';
import { hasEncodedRun, mayHaveHexDump } from './encoded-runs.js';
import { bytesOfBase32, readableText } from './encoding.js';

/** Characters of base32, and characters in a list of codes. Shorter ones are not decoded. */
const minBase32 = 26;
const minCodes = 16;
/** Base32 in one case, decimal character codes in a list, and octal escapes. */
const recodedRun =
  /(?<![A-Za-z0-9])(?:[A-Z2-7]{26,}|[a-z2-7]{26,})(?![A-Za-z0-9])|(?<!\d)(?:\d{2,3}[ ,]{1,2}){15,}\d{2,3}(?!\d)|(?:\\[0-7]{3}){16,}/g;

/** What a text becomes when base32 and character codes are decoded. A match covers the whole run. */
export function recodedViews(text: string): DecodedView[] {
  const views: DecodedView[] = [];
  if (!hasEncodedRun(text, minBase32) && !mayHaveHexDump(text, minCodes) && !text.includes('\\'))
    return views;
  for (const { index, 0: run } of text.matchAll(recodedRun)) {
    const plain = readableText(bytesOf(run));
    if (plain === undefined || plain.length < 8) continue;
    views.push({
      text: plain,
      offsets: () => ({
        starts: new Int32Array(plain.length).fill(index),
        ends: new Int32Array(plain.length).fill(index + run.length),
      }),
    });
  }
  return views;
}

function bytesOf(run: string): Uint8Array {
  if (run.startsWith('\\')) return Uint8Array.from(run.slice(1).split('\\'), (it) => Number.parseInt(it, 8));
  return /^\d+[ ,]/.test(run) ? Uint8Array.from(run.split(/[ ,]+/), Number) : bytesOfBase32(run);
}
