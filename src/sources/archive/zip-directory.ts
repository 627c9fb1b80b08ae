import type { ArchiveLimits } from './archive-limits.js';
import type { ByteReader } from './byte-reader.js';
import { entryName, invalidArchive } from './invalid-archive.js';

/** One entry of the central directory of a zip. */
export interface ZipEntry {
  readonly name: string;
  readonly nameBytes: Buffer;
  readonly flags: number;
  /** 0: stored, 8: deflated. */
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Where its local header is. */
  readonly offset: number;
  /** Type and permissions of Unix; 0 if another system made the archive. */
  readonly unixMode: number;
}

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  /** Where the central directory begins: the entries are before it. */
  readonly start: number;
}

const endBytes = 22;
const maxComment = 0xffff;
const end64Bytes = 56;
const locatorBytes = 20;
const headBytes = 46;
const u16 = 0xffff;
const u32 = 0xffffffff;

/** Reads the central directory. It must fill exactly the bytes between the entries and the end record. */
export async function readZipDirectory(reader: ByteReader, limits: ArchiveLimits): Promise<ZipDirectory> {
  const { count, size, offset, end } = await readEnd(reader);
  if (count > limits.entries)
    throw invalidArchive(
      `the archive has ${count.toLocaleString('en')} entries; the limit is ${limits.entries.toLocaleString('en')}`,
    );
  if (offset + size !== end)
    throw invalidArchive('the archive has bytes before or after its directory that belong to nothing');
  if (size > limits.entries * (headBytes + 3 * 1024))
    throw invalidArchive('the directory of the archive is too large');
  const bytes = await reader.read(offset, size);
  const entries: ZipEntry[] = [];
  let at = 0;
  while (entries.length < count) {
    const entry = readHead(bytes.subarray(at));
    entries.push(entry.entry);
    at += entry.length;
  }
  if (at !== bytes.length) throw invalidArchive('the directory of the archive is longer than its entries');
  return { entries, start: offset };
}

async function readEnd(reader: ByteReader) {
  const tailBytes = Math.min(reader.size, endBytes + maxComment);
  const tailStart = reader.size - tailBytes;
  const tail = await reader.read(tailStart, tailBytes);
  let at = -1;
  for (let from = tail.length - endBytes; from >= 0 && at === -1; from -= 1)
    if (
      tail.readUInt32LE(from) === 0x06054b50 &&
      from + endBytes + tail.readUInt16LE(from + 20) === tail.length
    )
      at = from;
  if (at === -1) throw invalidArchive('the archive is truncated, or is not a zip: it has no end record');
  const record = {
    disk: tail.readUInt16LE(at + 4),
    directoryDisk: tail.readUInt16LE(at + 6),
    countHere: tail.readUInt16LE(at + 8),
    count: tail.readUInt16LE(at + 10),
    size: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  };
  const end = tailStart + at;
  const needs64 =
    [record.count, record.countHere].includes(u16) || [record.size, record.offset].includes(u32);
  const end64 = await readEnd64(reader, end);
  if (end64 === undefined) {
    if (needs64) throw invalidArchive('the archive is damaged: its zip64 end record is missing');
    checkDisks(record);
    return { count: record.count, size: record.size, offset: record.offset, end };
  }
  checkDisks(end64);
  // Both records are read by some program, so they must agree.
  const agrees =
    (record.count === u16 || record.count === end64.count) &&
    (record.size === u32 || record.size === end64.size) &&
    (record.offset === u32 || record.offset === end64.offset);
  if (!agrees) throw invalidArchive('the archive has two end records that do not agree');
  return { count: end64.count, size: end64.size, offset: end64.offset, end: end64.at };
}

async function readEnd64(reader: ByteReader, end: number) {
  const locator = await reader.read(Math.max(0, end - locatorBytes), locatorBytes);
  if (end < locatorBytes || locator.readUInt32LE(0) !== 0x07064b50) return undefined;
  const at = safe(locator.readBigUInt64LE(8));
  const record = await reader.read(at, end64Bytes);
  if (
    at + end64Bytes !== end - locatorBytes ||
    record.length !== end64Bytes ||
    record.readUInt32LE(0) !== 0x06064b50
  )
    throw invalidArchive('the archive is damaged: its zip64 end record is not where it should be');
  return {
    at,
    disk: record.readUInt32LE(16),
    directoryDisk: record.readUInt32LE(20),
    countHere: safe(record.readBigUInt64LE(24)),
    count: safe(record.readBigUInt64LE(32)),
    size: safe(record.readBigUInt64LE(40)),
    offset: safe(record.readBigUInt64LE(48)),
  };
}

function checkDisks(it: { disk: number; directoryDisk: number; countHere: number; count: number }): void {
  if (it.disk !== 0 || it.directoryDisk !== 0 || it.countHere !== it.count)
    throw invalidArchive('the archive is one part of several; join them first');
}

function readHead(bytes: Buffer): { readonly entry: ZipEntry; readonly length: number } {
  const damaged = () => invalidArchive('the directory of the archive is damaged');
  if (bytes.length < headBytes || bytes.readUInt32LE(0) !== 0x02014b50) throw damaged();
  const nameLength = bytes.readUInt16LE(28);
  const extraLength = bytes.readUInt16LE(30);
  const length = headBytes + nameLength + extraLength + bytes.readUInt16LE(32);
  if (length > bytes.length) throw damaged();
  const nameBytes = bytes.subarray(headBytes, headBytes + nameLength);
  const name = nameOf(nameBytes);
  const extra = bytes.subarray(headBytes + nameLength, headBytes + nameLength + extraLength);
  const sizes = zip64Sizes(extra, entryName(name), {
    bytes: bytes.readUInt32LE(24),
    packedBytes: bytes.readUInt32LE(20),
    offset: bytes.readUInt32LE(42),
  });
  if (bytes.readUInt16LE(34) !== 0)
    throw invalidArchive(`${entryName(name)} is in another part of the archive`);
  const system = bytes.readUInt8(5);
  const attributes = bytes.readUInt32LE(38);
  const isFolder = (attributes & 0x10) !== 0 && system !== 3;
  if (isFolder && !name.endsWith('/'))
    throw invalidArchive(`${entryName(name)} is a folder, but its name does not end with "/"`);
  return {
    length,
    entry: {
      name,
      nameBytes,
      flags: bytes.readUInt16LE(8),
      method: bytes.readUInt16LE(10),
      crc: bytes.readUInt32LE(16),
      ...sizes,
      // 3 is Unix, 19 is macOS.
      unixMode: system === 3 || system === 19 ? attributes >>> 16 : 0,
    },
  };
}

interface Sizes {
  readonly bytes: number;
  readonly packedBytes: number;
  readonly offset: number;
}

/** Replaces the sizes that do not fit into 32 bits. Also rejects a second name, which other programs may prefer. */
export function zip64Sizes(extra: Buffer, shown: string, sizes: Sizes): Sizes {
  const result = { ...sizes };
  let found = false;
  for (let at = 0; at < extra.length; ) {
    const id = at + 4 <= extra.length ? extra.readUInt16LE(at) : 0;
    const length = at + 4 <= extra.length ? extra.readUInt16LE(at + 2) : extra.length;
    if (at + 4 + length > extra.length) {
      // Some programs pad this field with a few zeros.
      if (extra.subarray(at).every((it) => it === 0)) break;
      throw invalidArchive(`the header of ${shown} is damaged`);
    }
    if (id === 0x7075) throw invalidArchive(`${shown} has a second name`);
    if (id === 1 && !found) {
      found = true;
      let from = at + 4;
      for (const key of ['bytes', 'packedBytes', 'offset'] as const) {
        if (sizes[key] !== u32) continue;
        if (from + 8 > at + 4 + length) throw invalidArchive(`the header of ${shown} is damaged`);
        result[key] = safe(extra.readBigUInt64LE(from));
        from += 8;
      }
    } else if (id === 1) throw invalidArchive(`${shown} has two different sizes`);
    at += 4 + length;
  }
  return result;
}

/** Names are UTF-8, also where the archive does not say so. */
function nameOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw invalidArchive('a name in the archive is not UTF-8', error);
  }
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalidArchive('the archive has an impossible size');
  return Number(value);
}
