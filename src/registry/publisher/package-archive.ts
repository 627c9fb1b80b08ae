import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Bundle } from '../../model/bundle.js';
import { readFolder, readSingleFile } from '../../sources/local.js';
import { writeBundleArchive } from '../repository/bundle-archive.js';

/** The archive of a package on this machine: exactly the files that the checks see. */
export async function archiveOfPackage(manifestPath: string, bundle: Bundle): Promise<Buffer> {
  const isFile =
    bundle.files().length === 1 && bundle.files()[0] === bundle.manifest && !bundle.manifest.includes('/');
  const levels = bundle.manifest.split('/').length;
  let root = manifestPath;
  for (let level = 0; level < levels; level++) root = dirname(root);
  const { content } = isFile
    ? readSingleFile({ kind: 'file', path: manifestPath })
    : readFolder({ kind: 'folder', path: root });
  if (content.kind !== 'files') throw new Error('a folder has files');
  return writeBundleArchive(content.files);
}

/** Runs work with the archive in a file, which is removed afterwards. */
export async function withArchiveFile<T>(archive: Buffer, work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'toolwharf-publish-'));
  try {
    const path = join(folder, 'package.tgz');
    await writeFile(path, archive, { mode: 0o600 });
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
