import { posix } from 'node:path';
import { folderBundle } from '../../bundle/folder.js';
import { HostError } from '../../model/host-error.js';
import type { Package } from '../../model/package.js';
import type { StaticPage } from '../../model/static-page.js';

const maxPageFiles = 500;
const maxPageBytes = 16 * 1024 * 1024;

/** Reads the page from a copy of the package that nobody can change: `folder`. */
export function staticPage({ id, interface: page }: Package, folder: string): StaticPage {
  if (page === undefined) throw new HostError('not_found', `${id} has no page`);
  const bundle = folderBundle({
    ...{ root: folder, manifest: '', singleFile: false, displayRoot: '' },
    isStoredTree: true,
  });
  const parent = posix.dirname(page);
  const prefix = parent === '.' ? '' : `${parent}/`;
  const files = new Map<string, Uint8Array>();
  let size = 0;
  for (const path of bundle.files()) {
    if (!path.startsWith(prefix)) continue;
    const entry = bundle.read(path);
    if (entry.kind !== 'file') continue;
    size += entry.bytes.length;
    if (files.size === maxPageFiles || size > maxPageBytes)
      throw new HostError('unavailable', `the page of ${id} has too many files`, {
        hint: `a page may have ${maxPageFiles} files with ${maxPageBytes / 1024 / 1024} MB together`,
      });
    files.set(path.slice(prefix.length), entry.bytes);
  }
  const start = page.slice(prefix.length);
  if (!files.has(start)) throw new HostError('not_found', `${id} has no file ${page}`);
  return { start, files };
}
