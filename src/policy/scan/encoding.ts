// UTF-8, UTF-16, hex and base64 without a platform API (no Buffer).

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

/** Base64 of the same bytes differs by their offset modulo 3. Returns the part that is fixed, for each of the three. */
export function base64Fragments(bytes: Uint8Array): string[] {
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

/** Decodes base64 (both alphabets, padding only at the end) to readable text; undefined for anything else. */
export function readableBase64(text: string): string | undefined {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === '=') end--;
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  let length = 0;
  let unusual = 0;
  let pending = 0;
  let pendingBits = 0;
  for (let index = 0; index < end; index++) {
    pending = ((pending << 6) | (sextets[text.charCodeAt(index)] as number)) & 0xffffff;
    pendingBits += 6;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    const byte = (pending >> pendingBits) & 0xff;
    // Stops early: binary data shows itself in its first bytes.
    if (isUnusual(byte, length) && ++unusual * 8 > bytes.length) return undefined;
    bytes[length++] = byte;
  }
  return withoutFillers(bytes);
}

const digits = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  digits[digit.charCodeAt(0)] = value;
  digits[digit.toUpperCase().charCodeAt(0)] = value;
}

/** The text must have hexadecimal digits only. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  for (let index = 0; index < bytes.length; index++) {
    const high = digits[text.charCodeAt(index * 2)] as number;
    bytes[index] = (high << 4) | (digits[text.charCodeAt(index * 2 + 1)] as number);
  }
  return bytes;
}

/** Bytes as readable text; undefined where more than one byte in eight is unusual, as in images. */
export function readableText(bytes: Uint8Array): string | undefined {
  let unusual = 0;
  for (let index = 0; index < bytes.length; index++)
    if (isUnusual(bytes[index] as number, index) && ++unusual * 8 > bytes.length) return undefined;
  return withoutFillers(bytes);
}

function withoutFillers(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (!isFiller(byte, index)) text += String.fromCharCode(byte);
  }
  return text;
}

/** Whether a byte does not occur in readable ASCII text. */
function isUnusual(byte: number, index: number): boolean {
  if (byte >= 0x20) return byte >= 0x7f;
  return byte !== 9 && byte !== 10 && byte !== 13 && !isFiller(byte, index);
}

/** The zero byte after each ASCII letter in UTF-16. */
function isFiller(byte: number, index: number): boolean {
  return byte === 0 && index % 2 === 1;
}
