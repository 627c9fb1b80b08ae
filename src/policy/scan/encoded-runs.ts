// Cheap checks whether a text can contain base64 or hexadecimal data at all. Most texts cannot and are not decoded.

/** Characters of base64 (both alphabets) and of hexadecimal. */
const encoded = 1;
const hexDigit = 2;
/** Separators between the bytes of a hex dump. */
const dumpSeparator = 4;

/** By ASCII code: the classes above, as bits. */
const classes = new Uint8Array(128);
const assign = (characters: string, characterClass: number) => {
  for (let index = 0; index < characters.length; index++) {
    const code = characters.charCodeAt(index);
    classes[code] = (classes[code] as number) | characterClass;
  }
};
assign('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-', encoded);
assign('0123456789ABCDEFabcdef', hexDigit);
assign(' :,-', dumpSeparator);

/** Whether the text has at least `length` characters of base64 or hexadecimal in a row. */
export function hasEncodedRun(text: string, length: number): boolean {
  return hasRunOf(text, encoded, length);
}

/** Start and end of each maximal run of at least `minLength` such characters, as a flat list. */
export function encodedRuns(text: string, minLength: number): number[] {
  const runs: number[] = [];
  /** Characters from here on were not looked at yet. */
  let unread = 0;
  for (let at = minLength - 1; at < text.length; at += minLength) {
    if (!isIn(text, at, encoded)) continue;
    let start = at;
    while (start > unread && isIn(text, start - 1, encoded)) start--;
    let end = at + 1;
    while (end < text.length && isIn(text, end, encoded)) end++;
    if (end - start >= minLength) runs.push(start, end);
    unread = end;
    at = end;
  }
  return runs;
}

/**
 * Whether the text can contain a hex dump of so many bytes, with separators between them. False is certain; true means
 * that only the characters fit, and the text must be checked closely.
 */
export function mayHaveHexDump(text: string, bytes: number): boolean {
  return hasRunOf(text, hexDigit | dumpSeparator, bytes * 3 - 1);
}

const beyondAscii = /[\u0080-\uffff]/;

export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

/** A run of `minLength` characters covers every `minLength`-th offset, so only those are sampled. */
function hasRunOf(text: string, characterClasses: number, minLength: number): boolean {
  /** Characters from here on were not looked at yet. */
  let unread = 0;
  for (let at = minLength - 1; at < text.length; at += minLength) {
    if (!isIn(text, at, characterClasses)) continue;
    let start = at;
    while (start > unread && isIn(text, start - 1, characterClasses)) start--;
    let end = at + 1;
    while (end < text.length && end - start < minLength && isIn(text, end, characterClasses)) end++;
    if (end - start >= minLength) return true;
    unread = end;
  }
  return false;
}

function isIn(text: string, at: number, characterClasses: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && ((classes[code] as number) & characterClasses) !== 0;
}
