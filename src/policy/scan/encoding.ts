// The few encodings that text is hidden in, without a platform: bytes in, text out, and back.

export function utf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else
      bytes.push(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 63),
        0x80 | ((code >> 6) & 63),
        0x80 | (code & 63),
      );
  }
  return Uint8Array.from(bytes);
}

export function utf16(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    bytes[index * 2] = code & 0xff;
    bytes[index * 2 + 1] = code >> 8;
  }
  return bytes;
}

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Without padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const [a, b, c] = [bytes[index] as number, bytes[index + 1] ?? 0, bytes[index + 2] ?? 0];
    const four =
      alphabet.charAt(a >> 2) +
      alphabet.charAt(((a & 3) << 4) | (b >> 4)) +
      alphabet.charAt(((b & 15) << 2) | (c >> 6)) +
      alphabet.charAt(c & 63);
    text += four.slice(0, Math.min(4, bytes.length - index + 1));
  }
  return text;
}

/** Base64 spells the same bytes in three ways, by what comes before them; these are the parts that never vary. */
export function base64Pieces(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((before) => {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    return toBase64(shifted).slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    );
  });
}

const sextets = new Int8Array(128).fill(-1);
for (let index = 0; index < alphabet.length; index++) sextets[alphabet.charCodeAt(index)] = index;
sextets[45] = 62;
sextets[95] = 63;

/** Text in base64 that somebody could read, in both alphabets and with signs at its end alone; undefined for anything else. */
export function readableBase64(text: string): string | undefined {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === '=') end--;
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  let length = 0;
  let odd = 0;
  let pending = 0;
  let held = 0;
  for (let index = 0; index < end; index++) {
    pending = ((pending << 6) | (sextets[text.charCodeAt(index)] as number)) & 0xffffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    const byte = (pending >> held) & 0xff;
    // Most of what is no text shows it in its first bytes.
    if (isOdd(byte, length) && ++odd * 8 > bytes.length) return undefined;
    bytes[length++] = byte;
  }
  return spoken(bytes);
}

const digits = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  digits[digit.charCodeAt(0)] = value;
  digits[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Of hexadecimal digits alone. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  for (let index = 0; index < bytes.length; index++) {
    const high = digits[text.charCodeAt(index * 2)] as number;
    bytes[index] = (high << 4) | (digits[text.charCodeAt(index * 2 + 1)] as number);
  }
  return bytes;
}

/** Text that somebody could read; undefined for anything else, such as pictures. */
export function readable(bytes: Uint8Array): string | undefined {
  let odd = 0;
  for (let index = 0; index < bytes.length; index++)
    if (isOdd(bytes[index] as number, index) && ++odd * 8 > bytes.length) return undefined;
  return spoken(bytes);
}

function spoken(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (!isFiller(byte, index)) text += String.fromCharCode(byte);
  }
  return text;
}

/** Not in texts that people read. */
function isOdd(byte: number, index: number): boolean {
  if (byte >= 0x20) return byte >= 0x7f;
  return byte !== 9 && byte !== 10 && byte !== 13 && !isFiller(byte, index);
}

/** Two bytes a letter, as some systems write text. */
function isFiller(byte: number, index: number): boolean {
  return byte === 0 && index % 2 === 1;
}
