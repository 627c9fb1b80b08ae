// Whether a text could hide something at all. Most texts could not, and need no second look.

/** Of base64 and hexadecimal, in both alphabets. */
const coded = 1;
const hexDigit = 2;
/** Between the bytes of a dump. */
const between = 4;

const kinds = new Uint8Array(128);
const mark = (characters: string, kind: number) => {
  for (let index = 0; index < characters.length; index++) {
    const code = characters.charCodeAt(index);
    kinds[code] = (kinds[code] as number) | kind;
  }
};
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-', coded);
mark('0123456789ABCDEFabcdef', hexDigit);
mark(' :,-', between);

/** So many characters of base64 or hexadecimal in a row. */
export function hasRun(text: string, length: number): boolean {
  return stretchAmong(text, coded, length);
}

/** Start and end of each whole stretch of at least so many of them, one after the other. */
export function runsIn(text: string, least: number): number[] {
  const found: number[] = [];
  let fresh = 0;
  for (let at = least - 1; at < text.length; at += least) {
    if (!isOf(text, at, coded)) continue;
    let start = at;
    while (start > fresh && isOf(text, start - 1, coded)) start--;
    let end = at + 1;
    while (end < text.length && isOf(text, end, coded)) end++;
    if (end - start >= least) found.push(start, end);
    fresh = end;
    at = end;
  }
  return found;
}

/**
 * So many bytes in hexadecimal with a sign between them, or what has only the same characters: a closer look is needed
 * where this is true, and none where it is false.
 */
export function mayHaveDump(text: string, bytes: number): boolean {
  return stretchAmong(text, hexDigit | between, bytes * 3 - 1);
}

const beyondAscii = /[\u0080-\uffff]/;

export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

/**
 * A stretch of so many characters of some kinds. It has one at every so-manieth place, so that the characters between need
 * not be looked at where there is none.
 */
function stretchAmong(text: string, among: number, least: number): boolean {
  /** From here on nothing was looked at. */
  let fresh = 0;
  for (let at = least - 1; at < text.length; at += least) {
    if (!isOf(text, at, among)) continue;
    let start = at;
    while (start > fresh && isOf(text, start - 1, among)) start--;
    let end = at + 1;
    while (end < text.length && end - start < least && isOf(text, end, among)) end++;
    if (end - start >= least) return true;
    fresh = end;
  }
  return false;
}

function isOf(text: string, at: number, among: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && ((kinds[code] as number) & among) !== 0;
}
