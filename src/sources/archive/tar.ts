import type { ArchiveEntry } from './archive-entry.js';
import type { ArchiveLimits } from './archive-limits.js';
import { entryName, invalidArchive } from './invalid-archive.js';
import { BlockReader } from './tar-blocks.js';
import { type PaxFields, readPax, readTarHeader, type TarHeader } from './tar-header.js';

/** Pax headers and long names. Real ones have a few hundred bytes. */
const maxMetadataBytes = 1024 * 1024;

/** The entries of a tar archive, in its order. Each must be used before the next one is asked for. */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  limits: ArchiveLimits,
): AsyncGenerator<ArchiveEntry> {
  const blocks = new BlockReader(chunks);
  let pax: PaxFields = {};
  let longName: string | undefined;
  let longTarget: string | undefined;
  for (;;) {
    const block = await blocks.next();
    if (block === undefined) throw invalidArchive('the archive is truncated: it has no end mark');
    if (isZero(block)) break;
    const header = readTarHeader(block);
    switch (header.type) {
      case 'g':
        // Of a whole archive, only comments such as the commit are expected.
        rejectNamesForAll(readPax(await metadata(blocks, header)));
        continue;
      case 'x':
        pax = { ...pax, ...readPax(await metadata(blocks, header)) };
        continue;
      case 'L':
        longName = cString(await metadata(blocks, header));
        continue;
      case 'K':
        longTarget = cString(await metadata(blocks, header));
        continue;
    }
    const name = pax.path ?? longName ?? header.name;
    const target = pax.linkpath ?? longTarget ?? header.target;
    const size = pax.size ?? header.size;
    [pax, longName, longTarget] = [{}, undefined, undefined];
    yield* entriesOf({ ...header, name, target, size }, blocks, limits);
  }
  for (let block = await blocks.next(); block !== undefined; block = await blocks.next())
    if (!isZero(block)) throw invalidArchive('the archive has data after its end mark');
}

async function* entriesOf(
  header: TarHeader,
  blocks: BlockReader,
  limits: ArchiveLimits,
): AsyncGenerator<ArchiveEntry> {
  const { type, name, target, size, executable } = header;
  const withoutContent = () => {
    if (size !== 0 && type !== '5') throw invalidArchive(`${entryName(name)} has content but is not a file`);
  };
  switch (type) {
    case '0':
    case '\0':
    case '7': {
      // Old archives mark folders only with a slash.
      if (name.endsWith('/') && size === 0) {
        yield { kind: 'folder', name };
        return;
      }
      if (size > limits.fileBytes)
        throw invalidArchive(
          `${entryName(name)} has ${size.toLocaleString('en')} bytes; the limit is ${limits.fileBytes.toLocaleString('en')}`,
        );
      let taken = false;
      yield {
        kind: 'file',
        name,
        executable,
        size,
        async read() {
          taken = true;
          return contentOf(blocks, name, size);
        },
      };
      if (!taken) await blocks.skip(size, () => truncated(name));
      return;
    }
    case '5':
      // Some programs write a size for folders, but never content.
      yield { kind: 'folder', name };
      return;
    case '1':
    case '2':
      withoutContent();
      yield { kind: 'link', name, target, fromRoot: type === '1' };
      return;
    case '3':
    case '4':
    case '6':
      withoutContent();
      yield { kind: 'other', name, what: type === '6' ? 'a pipe' : 'a device' };
      return;
    default:
      yield { kind: 'other', name, what: `an entry of the type ${JSON.stringify(type)}` };
      await blocks.skip(size, () => truncated(name));
  }
}

async function contentOf(blocks: BlockReader, name: string, size: number): Promise<Uint8Array> {
  const bytes = await blocks.take(size);
  if (bytes === undefined) throw truncated(name);
  return bytes;
}

async function metadata(blocks: BlockReader, header: TarHeader): Promise<Buffer> {
  if (header.size > maxMetadataBytes) throw invalidArchive('the archive has a header of more than 1 MiB');
  const bytes = await blocks.take(header.size);
  if (bytes === undefined) throw truncated(header.name);
  return bytes;
}

function rejectNamesForAll(fields: PaxFields): void {
  if (fields.path !== undefined || fields.linkpath !== undefined || fields.size !== undefined)
    throw invalidArchive('the archive sets a name or size for all of its files at once');
}

function truncated(name: string): Error {
  return invalidArchive(`the archive is truncated in ${entryName(name)}`);
}

function cString(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  const text = bytes.subarray(0, end === -1 ? bytes.length : end);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch (error) {
    throw invalidArchive('a name in the archive is not UTF-8', error);
  }
}

function isZero(block: Buffer): boolean {
  return block.every((it) => it === 0);
}
