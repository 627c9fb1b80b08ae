import { entryName, invalidArchive } from './invalid-archive.js';

export interface TarHeader {
  readonly name: string;
  readonly target: string;
  /** One character, such as `0` for a file. */
  readonly type: string;
  readonly size: number;
  readonly executable: boolean;
}

/** The fields of a pax header that matter here. Times and owners are ignored. */
export interface PaxFields {
  readonly path?: string;
  readonly linkpath?: string;
  readonly size?: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

export function readTarHeader(block: Buffer): TarHeader {
  checkSum(block);
  const own = text(block, 0, 100);
  // Only POSIX archives have a prefix; GNU archives use these bytes for something else.
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? text(block, 345, 155) : '';
  const name = prefix === '' ? own : `${prefix}/${own}`;
  return {
    name,
    target: text(block, 157, 100),
    type: String.fromCharCode(block[156] as number),
    size: numberAt(block, 124, 12, name),
    executable: (numberAt(block, 100, 8, name) & 0o111) !== 0,
  };
}

/** Lines such as `30 path=some/long/name\n`; the number is the length of the whole line in bytes. */
export function readPax(bytes: Buffer): PaxFields {
  const fields: { path?: string; linkpath?: string; size?: number } = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = space === -1 ? Number.NaN : Number(digits(bytes.toString('latin1', at, space)));
    const line = bytes.subarray(space + 1, at + length);
    const equals = line.indexOf(0x3d);
    if (!(length > 0) || at + length > bytes.length || line.at(-1) !== 0x0a || equals === -1)
      throw invalidArchive('the archive has a damaged pax header');
    const key = decode(line.subarray(0, equals));
    const value = line.subarray(equals + 1, -1);
    if (key === 'path') fields.path = decode(value);
    else if (key === 'linkpath') fields.linkpath = decode(value);
    else if (key === 'size') fields.size = sizeOf(Number(digits(decode(value))), 'a pax header');
    else if (key.startsWith('GNU.sparse.'))
      throw invalidArchive('the archive has a sparse file, which is not unpacked');
    else if (key === 'hdrcharset' && decode(value) === 'BINARY')
      throw invalidArchive('the archive has names that are not UTF-8');
    at += length;
  }
  return fields;
}

function checkSum(block: Buffer): void {
  const expected = Number.parseInt(block.toString('latin1', 148, 156), 8);
  let sum = 0;
  for (let at = 0; at < 512; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (block[at] as number);
  if (sum !== expected) throw invalidArchive('the archive is damaged: the checksum of a header is wrong');
}

/** Octal digits, or binary if the first bit is set (GNU, for large files). */
function numberAt(block: Buffer, offset: number, length: number, name: string): number {
  const field = block.subarray(offset, offset + length);
  if (((field[0] as number) & 0x80) !== 0) {
    if (field[0] !== 0x80 || field.subarray(1, length - 6).some((it) => it !== 0))
      throw invalidArchive(`${entryName(name)} has an impossible size`);
    return sizeOf(field.readUIntBE(length - 6, 6), entryName(name));
  }
  const octal = /^ *([0-7]*)[ \0]*$/.exec(field.toString('latin1'))?.[1];
  if (octal === undefined) throw invalidArchive(`the header of ${entryName(name)} is damaged`);
  return octal === '' ? 0 : Number.parseInt(octal, 8);
}

function sizeOf(value: number, where: string): number {
  if (!Number.isSafeInteger(value) || value < 0) throw invalidArchive(`${where} has an impossible size`);
  return value;
}

/** Empty text would become the number 0. */
function digits(value: string): string {
  return /^\d{1,15}$/.test(value) ? value : 'NaN';
}

function text(block: Buffer, offset: number, length: number): string {
  const field = block.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return decode(end === -1 ? field : field.subarray(0, end));
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw invalidArchive('a name in the archive is not UTF-8', error);
  }
}
