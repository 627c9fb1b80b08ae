// Writes archives entry by entry, also wrong ones: with links, devices, two names for one entry, or sizes that lie.
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** Type and permissions of Unix. Default: a plain file, or a folder if the name ends with a slash. */
  readonly mode?: number;
  readonly deflate?: boolean;
  /** Sizes and checksum come after the content. */
  readonly descriptor?: 'signed' | 'plain' | 'zip64';
  /** Sizes are in the zip64 field. */
  readonly zip64?: boolean;
  /** What is wrong about it. */
  readonly lie?: {
    readonly localName?: string;
    readonly crc?: number;
    /** In both headers. */
    readonly size?: number;
    readonly localSize?: number;
    readonly descriptorCrc?: number;
    readonly flags?: number;
    readonly method?: number;
    readonly extra?: Buffer;
    readonly packed?: Buffer;
    /** Use the content of an earlier entry. */
    readonly offset?: number;
  };
}

export interface ZipShape {
  readonly before?: Buffer;
  readonly between?: Buffer;
  readonly comment?: string;
  readonly zip64End?: boolean;
  readonly countLie?: number;
}

export function zipOf(parts: readonly ZipPart[], shape: ZipShape = {}): Buffer {
  const locals: Buffer[] = [shape.before ?? Buffer.alloc(0)];
  const heads: Buffer[] = [];
  let offset = locals[0]?.length ?? 0;
  for (const part of parts) {
    const lie = part.lie ?? {};
    const name = Buffer.from(part.name as string);
    const content = Buffer.from(part.content ?? '');
    const packed = lie.packed ?? (part.deflate ? deflateRawSync(content) : content);
    const method = lie.method ?? (part.deflate ? 8 : 0);
    const flags = (lie.flags ?? 0) | (part.descriptor === undefined ? 0 : 8) | 0x800;
    const crc = lie.crc ?? crc32(content);
    const size = lie.size ?? content.length;
    const fields = (isLocal: boolean) => {
      const later = isLocal && part.descriptor !== undefined;
      const head = Buffer.alloc(26);
      head.writeUInt16LE(part.zip64 ? 45 : 20, 0);
      head.writeUInt16LE(flags, 2);
      head.writeUInt16LE(method, 4);
      head.writeUInt16LE(0x21, 8);
      head.writeUInt32LE(later ? 0 : crc, 10);
      head.writeUInt32LE(part.zip64 ? 0xffffffff : later ? 0 : packed.length, 14);
      head.writeUInt32LE(part.zip64 ? 0xffffffff : later ? 0 : isLocal ? (lie.localSize ?? size) : size, 18);
      const extra = part.zip64 ? zip64Extra(size, packed.length) : (lie.extra ?? Buffer.alloc(0));
      const own = isLocal && lie.localName !== undefined ? Buffer.from(lie.localName) : name;
      head.writeUInt16LE(own.length, 22);
      head.writeUInt16LE(extra.length, 24);
      return { head, tail: Buffer.concat([own, extra]) };
    };
    const local = fields(true);
    if (lie.offset === undefined)
      locals.push(
        Buffer.concat([
          Buffer.from('PK\x03\x04'),
          local.head,
          local.tail,
          packed,
          descriptorOf(part, lie.descriptorCrc ?? crc, packed.length, size),
          shape.between ?? Buffer.alloc(0),
        ]),
      );
    const central = fields(false);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(((part.mode ?? (name.at(-1) === 0x2f ? 0o040755 : 0o100644)) << 16) >>> 0, 6);
    entry.writeUInt32LE(lie.offset ?? offset, 10);
    heads.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), central.head, entry, central.tail]));
    if (lie.offset === undefined) offset += (locals.at(-1) as Buffer).length;
  }
  const directory = Buffer.concat(heads);
  const count = shape.countLie ?? parts.length;
  const end64 = shape.zip64End ? zip64End(count, directory.length, offset) : Buffer.alloc(0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(shape.zip64End ? 0xffff : count, 4);
  end.writeUInt16LE(shape.zip64End ? 0xffff : count, 6);
  end.writeUInt32LE(shape.zip64End ? 0xffffffff : directory.length, 8);
  end.writeUInt32LE(shape.zip64End ? 0xffffffff : offset, 12);
  const comment = Buffer.from(shape.comment ?? '');
  end.writeUInt16LE(comment.length, 16);
  return Buffer.concat([...locals, directory, end64, Buffer.from('PK\x05\x06'), end, comment]);
}

function descriptorOf(part: ZipPart, crc: number, packed: number, size: number): Buffer {
  if (part.descriptor === undefined) return Buffer.alloc(0);
  const wide = part.descriptor === 'zip64';
  const bytes = Buffer.alloc(wide ? 20 : 12);
  bytes.writeUInt32LE(crc, 0);
  if (wide) {
    bytes.writeBigUInt64LE(BigInt(packed), 4);
    bytes.writeBigUInt64LE(BigInt(size), 12);
  } else {
    bytes.writeUInt32LE(packed, 4);
    bytes.writeUInt32LE(size, 8);
  }
  return Buffer.concat([part.descriptor === 'plain' ? Buffer.alloc(0) : Buffer.from('PK\x07\x08'), bytes]);
}

function zip64Extra(size: number, packed: number): Buffer {
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(BigInt(size), 4);
  extra.writeBigUInt64LE(BigInt(packed), 12);
  return extra;
}

function zip64End(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(56);
  end.write('PK\x06\x06', 0, 'latin1');
  end.writeBigUInt64LE(44n, 4);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 0, 'latin1');
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([end, locator]);
}

export interface TarPart {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** Default: `0`, a file. */
  readonly type?: string;
  readonly target?: string;
  readonly mode?: number;
  readonly prefix?: string;
  readonly size?: number;
  readonly wrongSum?: boolean;
  readonly gnu?: boolean;
}

/** `end: false` leaves the end mark out. */
export function tarOf(parts: readonly TarPart[], { end = true } = {}): Buffer {
  const blocks = parts.flatMap((part) => {
    const content = Buffer.from(part.content ?? '');
    const head = Buffer.alloc(512);
    Buffer.from(part.name as string).copy(head, 0, 0, 100);
    head.write(`${(part.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100);
    head.write('0000000\x000000000\0', 108);
    const size = part.size ?? content.length;
    if (size > 0o77777777777) {
      head[124] = 0x80;
      head.writeUIntBE(size, 130, 6);
    } else head.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
    head.write('00000000000\0        ', 136);
    head.write(part.type ?? '0', 156);
    head.write(part.target ?? '', 157);
    head.write(part.gnu ? 'ustar  \0' : 'ustar\x0000', 257);
    head.write(part.prefix ?? '', 345);
    const sum = head.reduce((all, it) => all + it, 0) + (part.wrongSum ? 1 : 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [head, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(end ? 1024 : 0)]);
}

/** A pax header for the entry that follows. */
export function pax(fields: Readonly<Record<string, string>>, type = 'x'): TarPart {
  const lines = Object.entries(fields).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest;
    while (rest + String(length).length !== length) length = rest + String(length).length;
    return `${length} ${key}=${value}\n`;
  });
  return { name: 'pax', type, content: lines.join('') };
}
