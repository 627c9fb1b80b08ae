import { lstatSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { discover } from '../bundle/discover.js';
import { builtInFormats } from '../formats/built-in-formats.js';
import type { FormatDescriptor } from '../formats/format-descriptor.js';
import type { ImportedBundle, RepositoryFiles } from '../formats/repository-import.js';
import { HostError } from '../model/host-error.js';
import type { Source } from '../model/source.js';
import type { ContentStore, StoredTree } from './content-store.js';
import type { SourceNote } from './source.js';
import type { TreeFile } from './tree-file.js';
import { readTree } from './tree-reading.js';

/** A larger file is not text for a model. */
const maxSkillBytes = 1024 * 1024;

export interface ConvertedTree {
  readonly tree: StoredTree;
  readonly notes: readonly SourceNote[];
}

/** A tree without a manifest, but with skills or rules for agents, becomes a tree with a manifest. */
export async function convertTree(
  tree: StoredTree,
  source: Source,
  options: { readonly store: ContentStore; readonly signal: AbortSignal },
): Promise<ConvertedTree> {
  const { found } = discover([tree.folder], { cwd: tree.folder, formats: builtInFormats });
  if (found.length > 0) return { tree, notes: [] };
  try {
    return await convert(tree, source, options);
  } catch (error) {
    if (tree.created) await options.store.remove(tree.digest);
    throw error;
  }
}

async function convert(
  tree: StoredTree,
  source: Source,
  { store, signal }: { readonly store: ContentStore; readonly signal: AbortSignal },
): Promise<ConvertedTree> {
  const paths = (await readTree(tree.folder)).map((it) => it.path);
  const imported = await importWithFormat({
    name: nameOf(source),
    paths,
    read: (path) => textIn(tree.folder, path),
  });
  if (imported === undefined) return { tree, notes: [] };
  const taken = imported.added.find((it) => paths.includes(it.path));
  if (taken !== undefined)
    throw new HostError(
      'invalid_archive',
      `the tree has no manifest, and ${taken.path} is in the way of making one`,
    );
  const files = function* (): Generator<TreeFile> {
    for (const path of paths) {
      const executable = (lstatSync(join(tree.folder, path)).mode & 0o111) !== 0;
      yield { path, executable, bytes: readFileSync(join(tree.folder, path)) };
    }
    for (const it of imported.added) yield { path: it.path, executable: false, bytes: Buffer.from(it.text) };
  };
  const converted = await store.add(files(), { signal });
  if (tree.created) await store.remove(tree.digest);
  const count = imported.skills === 1 ? '1 skill' : `${imported.skills} skills`;
  return {
    tree: converted,
    notes: [
      { code: 'converted', text: `the source has no manifest; one was made from ${count} of its files` },
    ],
  };
}

/** The first format that can make something from the files. */
async function importWithFormat(files: RepositoryFiles): Promise<ImportedBundle | undefined> {
  const formats: readonly FormatDescriptor[] = builtInFormats;
  for (const it of formats) {
    const imported = (await it.loadImporter?.())?.(files);
    if (imported !== undefined) return imported;
  }
  return undefined;
}

/** The name of the repository or archive, without version and ending. */
function nameOf(source: Source): string {
  switch (source.kind) {
    case 'npm':
    case 'pypi':
    case 'registry':
      return source.name;
    case 'oci':
      return basename(source.image);
    case 'git':
      return basename(source.subfolder ?? new URL(source.url).pathname).replace(/\.git$/, '') || 'repository';
    case 'https':
      return withoutEnding(basename(new URL(source.url).pathname));
    case 'archive':
      return withoutEnding(basename(source.path));
    case 'folder':
    case 'file':
      return basename(source.path);
    case 'server':
      return 'server';
  }
}

function withoutEnding(name: string): string {
  return name.replace(/\.(?:zip|tgz|tar|tar\.gz|mcpb|whl)$/i, '') || 'repository';
}

function textIn(folder: string, path: string): string | undefined {
  const bytes = readFileSync(join(folder, path));
  if (bytes.length > maxSkillBytes) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
