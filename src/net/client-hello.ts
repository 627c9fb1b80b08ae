// The first message of a TLS connection, as far as it says whom the client wants to talk to.

/** `more`: not all of it is there yet. */
export type Greeting =
  | { readonly kind: 'more' }
  | { readonly kind: 'not-tls' }
  /** `name`: null when it asks for nobody by name. `hidden`: it carries another greeting that only the server can read. */
  | { readonly kind: 'hello'; readonly name: string | null; readonly hidden: boolean };

const handshake = 0x16;
const clientHello = 0x01;
const serverName = 0x0000;
const encryptedHello = 0xfe0d;
const maxBytes = 64 * 1024;

/** Reads what has come so far. Whatever cannot be read to its end is not TLS. */
export function readGreeting(bytes: Buffer): Greeting {
  const message = handshakeOf(bytes);
  if (message === 'more') return bytes.length > maxBytes ? { kind: 'not-tls' } : { kind: 'more' };
  if (message === 'not-tls') return { kind: 'not-tls' };
  try {
    return helloIn(message);
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'not-tls' };
    throw error;
  }
}

/** The handshake message, put together from the records it came in. */
function handshakeOf(bytes: Buffer): Buffer | 'more' | 'not-tls' {
  const parts: Buffer[] = [];
  let size = 0;
  for (let at = 0; ; ) {
    if (at < bytes.length && bytes[at] !== handshake) return 'not-tls';
    if (at + 1 < bytes.length && bytes[at + 1] !== 0x03) return 'not-tls';
    if (at + 5 > bytes.length) return 'more';
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0) return 'not-tls';
    const part = bytes.subarray(at + 5, at + 5 + length);
    parts.push(part);
    size += part.length;
    const whole = Buffer.concat(parts);
    if (size >= 1 && whole[0] !== clientHello) return 'not-tls';
    if (size >= 4 && size >= 4 + whole.readUIntBE(1, 3)) return whole.subarray(4, 4 + whole.readUIntBE(1, 3));
    if (part.length < length) return 'more';
    at += 5 + length;
  }
}

/** Throws a RangeError where a length leads beyond the end. */
function helloIn(message: Buffer): Greeting {
  const cursor = { at: 2 + 32 };
  const skip = (lengthBytes: number) => {
    const length = message.readUIntBE(cursor.at, lengthBytes);
    cursor.at += lengthBytes + length;
    if (cursor.at > message.length) throw new RangeError('a length leads beyond the end');
  };
  skip(1);
  skip(2);
  skip(1);
  let name: string | null = null;
  let hidden = false;
  if (cursor.at === message.length) return { kind: 'hello', name, hidden };
  const end = cursor.at + 2 + message.readUInt16BE(cursor.at);
  if (end !== message.length) throw new RangeError('something follows the extensions');
  cursor.at += 2;
  while (cursor.at < end) {
    const type = message.readUInt16BE(cursor.at);
    cursor.at += 2;
    const start = cursor.at + 2;
    skip(2);
    if (type === encryptedHello) hidden = true;
    if (type !== serverName) continue;
    const list = message.subarray(start, cursor.at);
    // One name, and only one: servers differ in which of several they take.
    const length = list.readUInt16BE(3);
    if (
      name !== null ||
      list[2] !== 0 ||
      list.readUInt16BE(0) !== list.length - 2 ||
      length !== list.length - 5
    )
      throw new RangeError('the name cannot be read');
    name = list.subarray(5).toString('latin1');
  }
  return { kind: 'hello', name, hidden };
}
