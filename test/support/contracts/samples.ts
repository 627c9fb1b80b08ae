import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { discover } from '../../../src/bundle/discover.js';
import type { BundleFiles } from '../../../src/bundle/memory-bundle.js';
import { builtInFormats, type FormatName } from '../../../src/formats/built-in-formats.js';
import { formatNamed, inspect } from '../../../src/formats/index.js';

/** A package of the fixtures or the examples, read into memory. */
export interface Sample {
  readonly name: string;
  readonly manifest: string;
  readonly folder: string;
  readonly files: BundleFiles;
  readonly text: string;
}

const root = join(import.meta.dirname, '../../..');

/** The packages of a format that have no error. */
export function samplesOf(format: FormatName): Sample[] {
  const places = [join(root, 'test', 'fixtures', format), join(root, 'examples', format)].filter(existsSync);
  return discover(places, { cwd: root, formats: builtInFormats }).found.flatMap((it) => {
    if (it.format.name !== format || inspect(formatNamed(format), it.bundle).package === undefined) return [];
    const files: Record<string, Uint8Array> = {};
    for (const path of it.bundle.files()) {
      const entry = it.bundle.read(path);
      if (entry.kind === 'file') files[path] = entry.bytes;
    }
    const { manifest, folder } = it.bundle;
    const text = new TextDecoder().decode(files[manifest]);
    return [{ name: relative(root, it.path), manifest, folder, files, text }];
  });
}
