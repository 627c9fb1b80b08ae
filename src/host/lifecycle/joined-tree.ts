import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentStore } from '../../sources/content-store.js';
import type { TreeFile } from '../../sources/tree-file.js';

/** Stores a tree with the files of both folders. Where both have a file, the one with the manifest counts. */
export async function joinedTree(
  store: ContentStore,
  codeFolder: string,
  manifestFolder: string,
  signal: AbortSignal,
): Promise<string> {
  const own = new Set<string>();
  async function* files(): AsyncGenerator<TreeFile> {
    for await (const it of filesBelow(manifestFolder)) {
      own.add(it.path);
      yield it;
    }
    for await (const it of filesBelow(codeFolder)) if (!own.has(it.path)) yield it;
  }
  return (await store.add(files(), { signal })).digest;
}

async function* filesBelow(root: string, folder = ''): AsyncGenerator<TreeFile> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, path);
    else if (entry.isFile()) {
      const { mode } = await stat(join(root, path));
      yield { path, executable: (mode & 0o100) !== 0, bytes: await readFile(join(root, path)) };
    }
  }
}
