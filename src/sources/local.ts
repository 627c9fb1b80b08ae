import { lstatSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { folderBundle, maxFiles } from '../bundle/folder.js';
import { sha256Of } from '../environment/file-tree.js';
import { HostError } from '../model/host-error.js';
import type { ArchiveSource, FileSource, FolderSource, LockedSource } from '../model/source.js';
import { defaultArchiveLimits } from './archive/archive-limits.js';
import { EntryNames } from './archive/entry-names.js';
import type { FetchedSource } from './fetched-source.js';
import { assertHash } from './hash-check.js';
import type { TreeFile } from './tree-file.js';

/** The files of a folder as they are now, without those that never belong to a package, such as node_modules. */
export function readFolder(source: FolderSource): FetchedSource {
  assertKind(source.path, 'folder');
  const bundle = folderBundle({ root: source.path, manifest: '', singleFile: false, displayRoot: '' });
  const paths = bundle.files();
  if (paths.length > maxFiles)
    throw new HostError('output_too_large', `${source.path} has more than ${maxFiles} files`, {
      hint: 'choose the folder of one package',
    });
  const files = function* (): Generator<TreeFile> {
    const names = new EntryNames(defaultArchiveLimits);
    let total = 0;
    for (const path of paths) {
      const entry = bundle.read(path);
      if (entry.kind !== 'file')
        throw new HostError(
          'invalid_archive',
          `${join(source.path, path)} cannot be stored: ${entry.kind === 'rejected' ? entry.detail : 'it disappeared'}`,
          { hint: 'remove it from the folder, or fix its permissions' },
        );
      total += entry.bytes.length;
      if (total > defaultArchiveLimits.totalBytes)
        throw new HostError('output_too_large', `the files of ${source.path} are too large for a package`);
      const executable = (statSync(join(source.path, path)).mode & 0o111) !== 0;
      yield { path: names.addFile(path), executable, bytes: entry.bytes };
    }
  };
  return { locked: source, content: { kind: 'files', files: files() }, notes: [] };
}

export function readSingleFile(source: FileSource): FetchedSource {
  assertKind(source.path, 'file');
  const name = basename(source.path);
  const entry = folderBundle({
    root: dirname(source.path),
    manifest: name,
    singleFile: true,
    displayRoot: '',
  }).read(name);
  if (entry.kind !== 'file')
    throw new HostError(
      'not_found',
      `${source.path} cannot be read${entry.kind === 'rejected' ? `: ${entry.detail}` : ''}`,
    );
  const executable = (lstatSync(source.path).mode & 0o111) !== 0;
  const path = new EntryNames(defaultArchiveLimits).addFile(name);
  return {
    locked: source,
    content: { kind: 'files', files: [{ path, executable, bytes: entry.bytes }] },
    notes: [],
  };
}

export async function readLocalArchive(source: ArchiveSource): Promise<FetchedSource> {
  assertKind(source.path, 'file');
  const found = await sha256Of(source.path);
  assertHash(source.path, source.sha256, found);
  const locked: LockedSource = { ...source, sha256: found };
  return { locked, content: { kind: 'archive', path: source.path, withoutTopFolder: true }, notes: [] };
}

function assertKind(path: string, kind: 'file' | 'folder'): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && (kind === 'file' ? stats.isFile() : stats.isDirectory())) return;
  throw new HostError('not_found', `${path} is not a ${kind}`, { hint: 'check the path' });
}
