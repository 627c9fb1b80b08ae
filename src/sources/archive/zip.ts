import { crc32, inflateRaw } from 'node:zlib';
import type { ArchiveEntry } from './archive-entry.js';
import type { ArchiveLimits } from './archive-limits.js';
import type { ByteReader } from './byte-reader.js';
import { entryName, invalidArchive } from './invalid-archive.js';
import { readZipDirectory, type ZipEntry, zip64Sizes } from './zip-directory.js';

const localBytes = 30;
const hasDescriptor = 0x08;
/** Encrypted, in one of three ways. */
const encrypted = 0x01 | 0x40 | 0x2000;
const typeMask = 0o170000;
const folderType = 0o040000;
const fileType = 0o100000;
const linkType = 0o120000;
const maxTargetBytes = 4096;

/**
 * The entries of a zip. Programs disagree about which copy of a header counts, so an archive is accepted only if all
 * copies agree, no byte belongs to two entries, and none belongs to no entry.
 */
export async function* readZip(reader: ByteReader, limits: ArchiveLimits): AsyncGenerator<ArchiveEntry> {
  const { entries, start } = await readZipDirectory(reader, limits);
  const sorted = [...entries].sort((a, b) => a.offset - b.offset);
  const dataStarts = new Map<ZipEntry, number>();
  let expected = 0;
  for (const entry of sorted) {
    if (entry.offset !== expected)
      throw invalidArchive(
        `${entryName(entry.name)} overlaps another entry, or bytes before it belong to no entry`,
      );
    checkEntry(entry, limits);
    const dataStart = await checkLocal(reader, entry);
    dataStarts.set(entry, dataStart);
    expected = await entryEnd(reader, entry, dataStart);
    if (expected > start) throw invalidArchive(`the archive is damaged at ${entryName(entry.name)}`);
  }
  if (expected !== start) throw invalidArchive('the archive has bytes that belong to no entry');
  for (const entry of entries) yield entryOf(entry, reader, dataStarts.get(entry) as number);
}

function checkEntry(entry: ZipEntry, limits: ArchiveLimits): void {
  const shown = entryName(entry.name);
  if ((entry.flags & encrypted) !== 0) throw invalidArchive(`${shown} is encrypted`);
  if (entry.method !== 0 && entry.method !== 8)
    throw invalidArchive(`${shown} uses compression method ${entry.method}; only deflate is unpacked`);
  if (entry.bytes > limits.fileBytes || entry.packedBytes > limits.fileBytes)
    throw invalidArchive(
      `${shown} has ${entry.bytes.toLocaleString('en')} bytes; the limit is ${limits.fileBytes.toLocaleString('en')}`,
    );
  if (entry.method === 0 && entry.bytes !== entry.packedBytes)
    throw invalidArchive(`${shown} has two different sizes`);
}

/** Compares the local header with the directory. Returns where the content begins. */
async function checkLocal(reader: ByteReader, entry: ZipEntry): Promise<number> {
  const shown = entryName(entry.name);
  const head = await reader.read(entry.offset, localBytes);
  if (head.length < localBytes || head.readUInt32LE(0) !== 0x04034b50)
    throw invalidArchive(`the archive is damaged: ${shown} has no local header`);
  const nameLength = head.readUInt16LE(26);
  const rest = await reader.read(entry.offset + localBytes, nameLength + head.readUInt16LE(28));
  const sizes = zip64Sizes(rest.subarray(nameLength), shown, {
    bytes: head.readUInt32LE(22),
    packedBytes: head.readUInt32LE(18),
    offset: 0,
  });
  const crc = head.readUInt32LE(14);
  const isLater = (entry.flags & hasDescriptor) !== 0;
  const matches = (found: number, known: number) => found === known || (isLater && found === 0);
  if (
    !rest.subarray(0, nameLength).equals(entry.nameBytes) ||
    head.readUInt16LE(6) !== entry.flags ||
    head.readUInt16LE(8) !== entry.method ||
    !matches(crc, entry.crc) ||
    !matches(sizes.bytes, entry.bytes) ||
    !matches(sizes.packedBytes, entry.packedBytes)
  )
    throw invalidArchive(`the archive describes ${shown} in two places that do not agree`);
  return entry.offset + localBytes + rest.length;
}

/** Where the entry ends. If its sizes were written after the content, they must be the same as in the directory. */
async function entryEnd(reader: ByteReader, entry: ZipEntry, dataStart: number): Promise<number> {
  const end = dataStart + entry.packedBytes;
  if ((entry.flags & hasDescriptor) === 0) return end;
  const bytes = await reader.read(end, 24);
  const signed = bytes.length >= 4 && bytes.readUInt32LE(0) === 0x08074b50;
  for (const from of signed ? [4, 0] : [0]) {
    if (bytes.length < from + 12 || bytes.readUInt32LE(from) !== entry.crc) continue;
    if (bytes.readUInt32LE(from + 4) === entry.packedBytes && bytes.readUInt32LE(from + 8) === entry.bytes)
      return end + from + 12;
    if (
      bytes.length >= from + 20 &&
      bytes.readBigUInt64LE(from + 4) === BigInt(entry.packedBytes) &&
      bytes.readBigUInt64LE(from + 12) === BigInt(entry.bytes)
    )
      return end + from + 20;
  }
  throw invalidArchive(`the archive describes ${entryName(entry.name)} in two places that do not agree`);
}

async function entryOf(entry: ZipEntry, reader: ByteReader, dataStart: number): Promise<ArchiveEntry> {
  const { name, unixMode, bytes: size } = entry;
  const shown = entryName(name);
  const type = unixMode & typeMask;
  const read = async () => unpacked(entry, await reader.read(dataStart, entry.packedBytes));
  if (type === linkType) {
    if (size > maxTargetBytes) throw invalidArchive(`the link ${shown} is too long`);
    return { kind: 'link', name, target: Buffer.from(await read()).toString('utf8'), fromRoot: false };
  }
  if (name.endsWith('/')) {
    if (size !== 0) throw invalidArchive(`${shown} is a folder with content`);
    if (type !== 0 && type !== folderType) throw invalidArchive(`${shown} is both a file and a folder`);
    return { kind: 'folder', name };
  }
  if (type !== 0 && type !== fileType) return { kind: 'other', name, what: 'not a file or folder' };
  return { kind: 'file', name, executable: (unixMode & 0o111) !== 0, size, read };
}

async function unpacked(entry: ZipEntry, packed: Buffer): Promise<Buffer> {
  const shown = entryName(entry.name);
  if (packed.length !== entry.packedBytes) throw invalidArchive(`the archive is truncated in ${shown}`);
  const bytes = entry.method === 0 ? packed : await inflated(packed, entry.bytes, shown);
  if (bytes.length !== entry.bytes)
    throw invalidArchive(`${shown} is damaged: it has another size than the archive says`);
  if (crc32(bytes) !== entry.crc) throw invalidArchive(`${shown} is damaged: its checksum is wrong`);
  return bytes;
}

function inflated(packed: Buffer, size: number, shown: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // More than the announced size is an error. With `info`, the result says how much input was used.
    inflateRaw(packed, { maxOutputLength: Math.max(1, size), info: true }, (error, result) => {
      if (error !== null) {
        reject(invalidArchive(`${shown} is damaged: it cannot be decompressed to ${size} bytes`, error));
        return;
      }
      const { buffer, engine } = result as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
      if (engine.bytesWritten === packed.length) resolve(buffer);
      else reject(invalidArchive(`${shown} is damaged: it has bytes after its content`));
    });
  });
}
