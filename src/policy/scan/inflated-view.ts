import { type DecodedView, decodedViews, toOriginal } from './decoded-view.js';
import { isAscii } from './encoded-runs.js';
import { bytesOfBase64, fromHex } from './encoding.js';

/** Decompresses gzip or zlib data; null for anything else. Injected: this folder does not use platform APIs. */
export type Inflate = (bytes: Uint8Array, maxBytes: number) => Uint8Array | 'too-large' | null;

/** Decompressed bytes of one run. A larger one is not searched. */
const maxRunBytes = 256 * 1024;
/** Decompressed bytes of one text, all runs together. */
const maxTextBytes = 4 * maxRunBytes;

/** How gzip and zlib data begins, in base64 (also in lines) and in hex. */
const packedRun =
  /(?<![A-Za-z0-9+/_-])(?:H4sI|eJ[wxyz]|eN[opqr]|eAE)[A-Za-z0-9+/_-]{12,}(?:\r?\n[A-Za-z0-9+/_-]{1,76}(?![A-Za-z0-9+/_-]))*={0,2}|(?<![0-9A-Za-z])(?:1f8b08|789c|78da|7801)[0-9a-f]{24,}(?![0-9A-Za-z])/gi;
const mayBePacked = /H4sI|eJ[wxyz]|eN[opqr]|eAE|1f8b08|789c|78da|7801/i;

/** What is inside compressed data of the given views, with its encodings undone. A match covers all of the data. */
export function inflatedViews(views: readonly DecodedView[], inflate: Inflate | undefined): DecodedView[] {
  const inflated: DecodedView[] = [];
  if (inflate === undefined) return inflated;
  let budget = maxTextBytes;
  for (const view of views) {
    if (!mayBePacked.test(view.text)) continue;
    for (const { index, 0: run } of view.text.matchAll(packedRun)) {
      if (budget <= 0) return inflated;
      const isHex = /^[0-9a-f]+$/i.test(run) && run.length % 2 === 0;
      const bytes = inflate(isHex ? fromHex(run) : bytesOfBase64(run), maxRunBytes);
      if (bytes === null) continue;
      budget -= bytes === 'too-large' ? maxRunBytes : bytes.length;
      if (bytes === 'too-large') continue;
      const { start, end } = toOriginal({ start: index, end: index + run.length }, view);
      for (const { text } of decodedViews(textOf(bytes)))
        inflated.push({
          text,
          offsets: () => ({
            starts: new Int32Array(text.length).fill(start),
            ends: new Int32Array(text.length).fill(end),
          }),
        });
    }
  }
  return inflated;
}

/** UTF-8; for anything else, one character for each byte. */
function textOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  if (isAscii(text)) return text;
  try {
    return decodeURIComponent(
      text.replace(/[%\u0080-\u00ff]/g, (it) => `%${it.charCodeAt(0).toString(16).padStart(2, '0')}`),
    );
  } catch {
    return text;
  }
}
