// A package in an archive that somebody sent: unpacked into a folder that is removed afterwards, and parsed. Nothing of it
// runs.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { discover } from '../../bundle/discover.js';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import { inspect } from '../../formats/inspect.js';
import type { Bundle } from '../../model/bundle.js';
import type { FormatParser } from '../../model/format.js';
import { HostError } from '../../model/host-error.js';
import type { Package } from '../../model/package.js';
import { readArchive } from '../../sources/archive/archive.js';
import { withFileReader } from '../../sources/archive/byte-reader.js';

export interface OpenedArchive {
  readonly bundle: Bundle;
  readonly format: FormatParser;
  /** Undefined if its manifest has errors. */
  readonly package: Package | undefined;
}

/** Throws unless the archive has exactly one package. The bundle can be read until the work ends. */
export async function withArchive<T>(
  path: string,
  formats: readonly FormatDescriptor[],
  work: (archive: OpenedArchive) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'toolwharf-archive-'));
  try {
    await withFileReader(path, async (reader) => {
      for await (const file of readArchive(reader)) {
        const target = join(folder, file.path);
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, file.bytes, { flag: 'wx', mode: file.executable ? 0o700 : 0o600 });
      }
    });
    const { found } = discover([folder], { cwd: folder, formats, storedTree: folder });
    const [manifest, ...more] = found;
    if (manifest === undefined || more.length > 0)
      throw new HostError(
        'invalid_archive',
        manifest === undefined
          ? 'the archive has no manifest'
          : `the archive has ${found.length} packages: ${found.map((it) => it.file).join(', ')}`,
        { hint: 'publish one package at a time' },
      );
    const format = await manifest.format.load();
    const { bundle } = manifest;
    return await work({ bundle, format, package: inspect(format, bundle).package });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
