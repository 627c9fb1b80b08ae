// The archive of a release: a gzipped tar that contains nothing but names, executable bits and contents, in a fixed order.
import { gzipSync } from 'node:zlib';
import { HostError } from '../../model/host-error.js';
import { defaultArchiveLimits } from '../../sources/archive/archive-limits.js';
import { EntryNames } from '../../sources/archive/entry-names.js';
import type { TreeFiles } from '../../sources/tree-file.js';

const blockBytes = 512;

/** The same files always give the same archive. Names are checked as when it is unpacked. */
export async function writeBundleArchive(files: TreeFiles): Promise<Buffer> {
  const names = new EntryNames(defaultArchiveLimits);
  const entries: { readonly path: Buffer; readonly executable: boolean; readonly bytes: Uint8Array }[] = [];
  let total = 0;
  for await (const it of files) {
    total += it.bytes.length;
    if (total > defaultArchiveLimits.totalBytes || it.bytes.length > defaultArchiveLimits.fileBytes)
      throw new HostError('output_too_large', 'the files are too large for a package');
    entries.push({ ...it, path: Buffer.from(names.addFile(it.path)) });
  }
  if (entries.length === 0) throw new HostError('invalid_archive', 'the bundle has no files');
  entries.sort((a, b) => Buffer.compare(a.path, b.path));
  const blocks = entries.flatMap(({ path, executable, bytes }) => [
    ...nameBlocks(path),
    header(path, executable ? 0o755 : 0o644, bytes.length, '0'),
    padded(bytes),
  ]);
  // No time and no system in the header of gzip.
  const archive = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 });
  archive[9] = 255;
  return archive;
}

/** A pax header for names that do not fit. */
function nameBlocks(path: Buffer): Buffer[] {
  if (path.length <= 100 && /^[\x20-\x7e]*$/.test(path.toString('latin1'))) return [];
  const rest = Buffer.concat([Buffer.from(' path='), path, Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  const record = Buffer.concat([Buffer.from(String(length)), rest]);
  return [header(Buffer.from('pax'), 0o644, record.length, 'x'), padded(record)];
}

function header(path: Buffer, mode: number, size: number, type: string): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  path.copy(block, 0, 0, Math.min(100, path.length));
  block.write(
    `${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0${octal(0, 11)}\0`,
    100,
  );
  block.write(`        ${type}`, 148);
  block.write('ustar\u000000', 257, 'latin1');
  const sum = block.reduce((all, it) => all + it, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function padded(bytes: Uint8Array): Buffer {
  const rest = bytes.length % blockBytes;
  return Buffer.concat([bytes, Buffer.alloc(rest === 0 ? 0 : blockBytes - rest)]);
}
