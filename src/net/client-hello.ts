// Parses the first message of a TLS connection for the server name.

/** `incomplete`: more bytes are needed. */
export type ClientHello =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'not-tls' }
  /** `name`: null without a server name. `encrypted`: it contains an encrypted ClientHello (ECH) with another name. */
  | { readonly kind: 'hello'; readonly name: string | null; readonly encrypted: boolean };

const handshake = 0x16;
const clientHello = 0x01;
const serverName = 0x0000;
const encryptedHello = 0xfe0d;
const maxBytes = 64 * 1024;

/** Parses the bytes received so far. Anything malformed counts as not TLS. */
export function parseClientHello(bytes: Buffer): ClientHello {
  const message = handshakeOf(bytes);
  if (message === 'incomplete') return bytes.length > maxBytes ? { kind: 'not-tls' } : { kind: 'incomplete' };
  if (message === 'not-tls') return { kind: 'not-tls' };
  try {
    return helloIn(message);
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'not-tls' };
    throw error;
  }
}

/** The handshake message, joined from its TLS records. */
function handshakeOf(bytes: Buffer): Buffer | 'incomplete' | 'not-tls' {
  const parts: Buffer[] = [];
  let size = 0;
  for (let at = 0; ; ) {
    if (at < bytes.length && bytes[at] !== handshake) return 'not-tls';
    if (at + 1 < bytes.length && bytes[at + 1] !== 0x03) return 'not-tls';
    if (at + 5 > bytes.length) return 'incomplete';
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0) return 'not-tls';
    const part = bytes.subarray(at + 5, at + 5 + length);
    parts.push(part);
    size += part.length;
    const whole = Buffer.concat(parts);
    if (size >= 1 && whole[0] !== clientHello) return 'not-tls';
    if (size >= 4 && size >= 4 + whole.readUIntBE(1, 3)) return whole.subarray(4, 4 + whole.readUIntBE(1, 3));
    if (part.length < length) return 'incomplete';
    at += 5 + length;
  }
}

/** Throws a RangeError for malformed lengths. */
function helloIn(message: Buffer): ClientHello {
  const cursor = { at: 2 + 32 };
  const skip = (lengthBytes: number) => {
    const length = message.readUIntBE(cursor.at, lengthBytes);
    cursor.at += lengthBytes + length;
    if (cursor.at > message.length) throw new RangeError('a length exceeds the message');
  };
  skip(1);
  skip(2);
  skip(1);
  let name: string | null = null;
  let encrypted = false;
  if (cursor.at === message.length) return { kind: 'hello', name, encrypted };
  const end = cursor.at + 2 + message.readUInt16BE(cursor.at);
  if (end !== message.length) throw new RangeError('data after the extensions');
  cursor.at += 2;
  while (cursor.at < end) {
    const type = message.readUInt16BE(cursor.at);
    cursor.at += 2;
    const start = cursor.at + 2;
    skip(2);
    if (type === encryptedHello) encrypted = true;
    if (type !== serverName) continue;
    const list = message.subarray(start, cursor.at);
    // Exactly one name: servers differ in which of several names they use.
    const length = list.readUInt16BE(3);
    if (
      name !== null ||
      list[2] !== 0 ||
      list.readUInt16BE(0) !== list.length - 2 ||
      length !== list.length - 5
    )
      throw new RangeError('the server name is malformed');
    name = list.subarray(5).toString('latin1');
  }
  return { kind: 'hello', name, encrypted };
}
