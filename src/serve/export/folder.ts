import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { replaceFile } from '../../files/atomic-file.js';
import { isWithin } from '../../files/path-containment.js';
import { realPathOf } from '../../files/real-path.js';
import { HostError } from '../../model/host-error.js';
import type { ExportFile } from './target.js';

export type FileStatus = 'new' | 'same' | 'replaced';

export interface WrittenFile {
  readonly path: string;
  readonly status: FileStatus;
}

/** What writing would do. Fails if it would replace files without `force` or follow links out of the folder. */
export function planFolder(
  folder: string,
  files: readonly ExportFile[],
  force: boolean,
): readonly WrittenFile[] {
  const different: string[] = [];
  const planned = files.map(({ path, text }): WrittenFile => {
    const target = join(folder, path);
    assertInside(folder, path);
    const existing = lstatSync(target, { throwIfNoEntry: false });
    if (existing === undefined) return { path, status: 'new' };
    if (!existing.isFile())
      throw new HostError('usage', `${target} exists and is not a regular file`, {
        hint: 'choose another folder with --out',
      });
    if (readFileSync(target, 'utf8') === text) return { path, status: 'same' };
    different.push(path);
    return { path, status: 'replaced' };
  });
  if (different.length > 0 && !force)
    throw new HostError('usage', `${folder} already has ${different.join(', ')} with other content`, {
      hint: 'choose another folder with --out, or overwrite with --force',
    });
  return planned;
}

export function writeFolder(
  folder: string,
  files: readonly ExportFile[],
  planned: readonly WrittenFile[],
): void {
  for (const [at, { path, text }] of files.entries()) {
    const target = join(folder, path);
    if (planned[at]?.status === 'same') continue;
    mkdirSync(dirname(target), { recursive: true });
    assertInside(folder, path);
    if (planned[at]?.status === 'new') {
      writeFileSync(target, text, { flag: 'wx' });
      continue;
    }
    replaceFile(target, text, { mode: 0o666, flush: 'none' });
  }
}

/** Fails if a link in the path leads out of the folder. */
function assertInside(folder: string, path: string): void {
  const root = realPathOf(folder);
  if (root === undefined) return;
  for (let at = dirname(join(folder, path)); ; at = dirname(at)) {
    const real = realPathOf(at);
    if (real === undefined && relative(folder, at) !== '') continue;
    if (isWithin(real ?? root, root)) return;
    throw new HostError('usage', `${at} is a link out of ${folder}`, {
      hint: 'choose another folder with --out',
    });
  }
}
