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

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let pendingBits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    for (pendingBits += 8; pendingBits >= 5; ) {
      pendingBits -= 5;
      text += base32Alphabet.charAt((pending >> pendingBits) & 31);
    }
  }
  return pendingBits === 0 ? text : text + base32Alphabet.charAt((pending << (5 - pendingBits)) & 31);
}

/** The text must have characters of base32 only, in any case. Bits at the end that make no byte are dropped. */
export function bytesOfBase32(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let length = 0;
  let pending = 0;
  let pendingBits = 0;
  for (const character of text.toUpperCase()) {
    pending = ((pending << 5) | base32Alphabet.indexOf(character)) & 0xffff;
    pendingBits += 5;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    bytes[length++] = (pending >> pendingBits) & 0xff;
  }
  return bytes.subarray(0, length);
}

/** The part of an encoded text that some bytes determine, whatever is before and after them. */
export interface EncodedFragment {
  readonly text: string;
  /** Whether the character before, or after, holds bits of these bytes too. */
  readonly sharesBefore: boolean;
  readonly sharesAfter: boolean;
  /** Signs of padding, where nothing follows the bytes. */
  readonly padding: number;
}

/** Base64 of the same bytes differs by their offset modulo 3. Returns one fragment for each of the three. */
export function base64Fragments(bytes: Uint8Array): EncodedFragment[] {
  return fragments(bytes, toBase64, 6, [0, 1, 2], (total) => (3 - (total % 3)) % 3);
}

/** The same for base32, where the offset counts modulo 5. */
export function base32Fragments(bytes: Uint8Array): EncodedFragment[] {
  return fragments(bytes, toBase32, 5, [0, 1, 2, 3, 4], (total) => [0, 6, 4, 3, 1][total % 5] as number);
}

function fragments(
  bytes: Uint8Array,
  encode: (bytes: Uint8Array) => string,
  bits: number,
  offsets: readonly number[],
  paddingOf: (bytes: number) => number,
): EncodedFragment[] {
  return offsets.map((before) => {
    const total = before + bytes.length;
    const shifted = new Uint8Array(total);
    shifted.set(bytes, before);
    return {
      text: encode(shifted).slice(Math.ceil((before * 8) / bits), Math.floor((total * 8) / bits)),
      sharesBefore: (before * 8) % bits !== 0,
      sharesAfter: (total * 8) % bits !== 0,
      padding: paddingOf(total),
    };
  });
}

/** Letters moved by thirteen places; everything else stays. */
export function rot13(text: string): string {
  return text.replace(/[A-Za-z]/g, (it) => {
    const base = it <= 'Z' ? 65 : 97;
    return String.fromCharCode(((it.charCodeAt(0) - base + 13) % 26) + base);
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

/** Decodes base64 of both alphabets. Line ends and padding are skipped. */
export function bytesOfBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  let pending = 0;
  let pendingBits = 0;
  for (let index = 0; index < text.length; index++) {
    const sextet = sextets[text.charCodeAt(index)] ?? -1;
    if (sextet < 0) continue;
    pending = ((pending << 6) | sextet) & 0xffffff;
    pendingBits += 6;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    bytes[length++] = (pending >> pendingBits) & 0xff;
  }
  return bytes.subarray(0, length);
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
