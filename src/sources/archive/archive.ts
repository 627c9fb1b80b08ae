import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { TreeFile } from '../tree-file.js';
import type { ArchiveEntry } from './archive-entry.js';
import { type ArchiveLimits, defaultArchiveLimits } from './archive-limits.js';
import { type ByteReader, chunksOf } from './byte-reader.js';
import { EntryNames } from './entry-names.js';
import { entryName, invalidArchive } from './invalid-archive.js';
import { readTar } from './tar.js';
import { readZip } from './zip.js';

const maxLinkChain = 8;
/** Of files that are read over. */
const maxIgnoredBytes = 8 * 1024 ** 3;

/**
 * The files of a zip or tar archive, checked and within limits. The content decides which kind it is. A link to a file of
 * the same archive becomes a copy of it; all other links are rejected. Archives inside the archive stay files.
 */
export async function* readArchive(
  reader: ByteReader,
  limits: ArchiveLimits = defaultArchiveLimits,
): AsyncGenerator<TreeFile> {
  const names = new EntryNames(limits);
  const size = new SizeMeter(reader.size, limits);
  const links = new Map<string, string>();
  for await (const entry of openArchive(reader, limits, await kindOf(reader))) {
    if (entry.kind === 'other') throw notUnpacked(entry);
    if (entry.kind === 'folder') names.addFolder(entry.name);
    else if (entry.kind === 'link') links.set(names.addFile(entry.name), targetOf(entry));
    else {
      size.add(entry.size);
      yield { path: names.addFile(entry.name), executable: entry.executable, bytes: await entry.read() };
    }
  }
  if (links.size === 0) return;
  const copies = copiesOf(links, names);
  // Links can come before their targets, so they are filled by reading the archive again.
  for await (const entry of openArchive(reader, limits, await kindOf(reader))) {
    if (entry.kind !== 'file') continue;
    const paths = copies.get(posix.normalize(entry.name)) ?? [];
    if (paths.length === 0) continue;
    const bytes = await entry.read();
    for (const path of paths) {
      size.add(entry.size);
      yield { path, executable: entry.executable, bytes };
    }
  }
}

/**
 * The files below one folder of a tar archive, without that folder in their paths. Everything else in the archive is
 * ignored: the layers of an image contain devices and links that are right there.
 */
export async function* readArchiveFolder(
  reader: ByteReader,
  folder: string,
  limits: ArchiveLimits = defaultArchiveLimits,
): AsyncGenerator<TreeFile> {
  const names = new EntryNames(limits);
  const size = new SizeMeter(Number.POSITIVE_INFINITY, limits);
  const ignored = { ...limits, fileBytes: maxIgnoredBytes, totalBytes: maxIgnoredBytes };
  for await (const entry of openArchive(reader, ignored, await kindOf(reader))) {
    const name = entry.name.replace(/^(?:\.?\/)+/, '');
    if (!name.startsWith(`${folder}/`)) continue;
    const inner = name.slice(folder.length + 1);
    if (entry.kind === 'other') throw notUnpacked(entry);
    if (entry.kind === 'link')
      throw invalidArchive(`${entryName(name)} is a link, which is not allowed in this folder`);
    if (entry.kind === 'folder') {
      if (inner !== '') names.addFolder(inner);
      continue;
    }
    if (entry.size > limits.fileBytes) throw invalidArchive(`${entryName(name)} is too large`);
    size.add(entry.size);
    yield { path: names.addFile(inner), executable: entry.executable, bytes: await entry.read() };
  }
}

type ArchiveKind = 'zip' | 'tar' | 'tgz';

async function kindOf(reader: ByteReader): Promise<ArchiveKind> {
  const start = await reader.read(0, 512);
  if (start.length >= 4 && ['PK\x03\x04', 'PK\x05\x06'].includes(start.toString('latin1', 0, 4)))
    return 'zip';
  if (start[0] === 0x1f && start[1] === 0x8b) return 'tgz';
  if (start.length === 512 && start.toString('latin1', 257, 262) === 'ustar') return 'tar';
  throw invalidArchive('this is not a zip, tar or gzipped tar archive');
}

/** Whether the bytes look like an archive; otherwise they may be a single manifest. */
export async function isArchive(reader: ByteReader): Promise<boolean> {
  return kindOf(reader).then(
    () => true,
    () => false,
  );
}

function openArchive(
  reader: ByteReader,
  limits: ArchiveLimits,
  kind: ArchiveKind,
): AsyncIterable<ArchiveEntry> {
  switch (kind) {
    case 'zip':
      return readZip(reader, limits);
    case 'tar':
      return readTar(chunksOf(reader), limits);
    case 'tgz':
      return readTar(gunzipped(reader, limits), limits);
  }
}

/** Stops a bomb while it is decompressed: also the bytes between the files count. */
async function* gunzipped(reader: ByteReader, limits: ArchiveLimits): AsyncGenerator<Buffer> {
  const size = new SizeMeter(reader.size, { ...limits, totalBytes: limits.totalBytes * 2 });
  const source = Readable.from(chunksOf(reader));
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    for await (const chunk of gunzip) {
      size.add((chunk as Buffer).length);
      yield chunk as Buffer;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_') !== true) throw error;
    throw invalidArchive(
      code === 'Z_BUF_ERROR' ? 'the archive is truncated' : 'the archive is damaged: gzip cannot read it',
      error,
    );
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** Counts unpacked bytes. */
class SizeMeter {
  readonly #packedBytes: number;
  readonly #limits: ArchiveLimits;
  #bytes = 0;

  constructor(packedBytes: number, limits: ArchiveLimits) {
    this.#packedBytes = packedBytes;
    this.#limits = limits;
  }

  add(bytes: number): void {
    const { totalBytes, ratio, freeBytes } = this.#limits;
    this.#bytes += bytes;
    if (this.#bytes > totalBytes)
      throw invalidArchive(`the archive unpacks to more than ${totalBytes.toLocaleString('en')} bytes`);
    if (this.#bytes > freeBytes && this.#bytes > this.#packedBytes * ratio)
      throw invalidArchive(`the archive unpacks to more than ${ratio} times its size`);
  }
}

function notUnpacked({ name, what }: Extract<ArchiveEntry, { kind: 'other' }>): Error {
  return invalidArchive(`${entryName(name)} is ${what}, which is not unpacked`);
}

function targetOf(link: Extract<ArchiveEntry, { kind: 'link' }>): string {
  const { name, target, fromRoot } = link;
  const path = posix.normalize(fromRoot ? target : posix.join(posix.dirname(name), target));
  if (
    target === '' ||
    posix.isAbsolute(target) ||
    path === '..' ||
    path.startsWith('../') ||
    /[\\\0]/.test(target)
  )
    throw invalidArchive(`${entryName(name)} is a link to ${entryName(target)}, outside of the archive`);
  return path;
}

/** For each file that links lead to: the paths of those links. */
function copiesOf(links: ReadonlyMap<string, string>, names: EntryNames): Map<string, string[]> {
  const copies = new Map<string, string[]>();
  for (const [path, first] of links) {
    let target = first;
    for (let step = 0; links.has(target) && step < maxLinkChain; step += 1)
      target = links.get(target) as string;
    if (links.has(target) || !names.hasFile(target))
      throw invalidArchive(
        `${entryName(path)} is a link to ${entryName(first)}, which is not a file of the archive`,
      );
    copies.set(target, [...(copies.get(target) ?? []), path]);
  }
  return copies;
}
