/** Multiplier of all hashes of codes. */
export const base = 0x01000193;

/** By ASCII code: 1 for white space, quotes, brackets and commas. They end a run. */
const breaks = new Uint8Array(128).fill(1, 0, 33);
for (const it of `"'(),;<>[]\`{|}`) breaks[it.charCodeAt(0)] = 1;

/** Whether an ASCII character ends a run. */
export function isBreak(unit: number): boolean {
  return breaks[unit] === 1;
}

export function pieceOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
  return codes;
}

export function hashOf(codes: Uint16Array, start: number, length: number): number {
  let hash = 0;
  for (let at = start; at < start + length; at++)
    hash = (Math.imul(hash, base) + (codes[at] as number)) >>> 0;
  return hash;
}

/** Where a piece occurs in the first `length` codes, from an offset on; -1: nowhere. */
export function pieceAt(codes: Uint16Array, length: number, piece: Uint16Array, from: number): number {
  if (piece.length === 0) return -1;
  for (
    let at = codes.indexOf(piece[0] as number, from);
    at !== -1 && at + piece.length <= length;
    at = codes.indexOf(piece[0] as number, at + 1)
  ) {
    let same = 1;
    while (same < piece.length && codes[at + same] === piece[same]) same++;
    if (same === piece.length) return at;
  }
  return -1;
}
