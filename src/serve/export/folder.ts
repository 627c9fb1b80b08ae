import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { HostError } from '../../model/host-error.js';
import type { ExportFile } from './target.js';

export type FileStatus = 'new' | 'same' | 'replaced';

export interface WrittenFile {
  readonly path: string;
  readonly status: FileStatus;
}

/** What writing would do; refuses to take the place of anything unless told, and to follow links out of the folder. */
export function planFolder(
  folder: string,
  files: readonly ExportFile[],
  force: boolean,
): readonly WrittenFile[] {
  const taken: string[] = [];
  const planned = files.map(({ path, text }): WrittenFile => {
    const target = join(folder, path);
    checkWay(folder, path);
    const there = lstatSync(target, { throwIfNoEntry: false });
    if (there === undefined) return { path, status: 'new' };
    if (!there.isFile())
      throw new HostError('usage', `${target} is there and is no plain file`, {
        hint: 'name another folder with --out',
      });
    if (readFileSync(target, 'utf8') === text) return { path, status: 'same' };
    taken.push(path);
    return { path, status: 'replaced' };
  });
  if (taken.length > 0 && !force)
    throw new HostError('usage', `${folder} has ${taken.join(', ')} already, with other content`, {
      hint: 'name another folder with --out, or replace them with --force',
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
    checkWay(folder, path);
    if (planned[at]?.status === 'new') {
      writeFileSync(target, text, { flag: 'wx' });
      continue;
    }
    const temporary = `${target}.toolwharf-${randomBytes(6).toString('hex')}`;
    try {
      writeFileSync(temporary, text, { flag: 'wx' });
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }
}

/** The nearest folder that exists must be inside. */
function checkWay(folder: string, path: string): void {
  const root = realOf(folder);
  if (root === undefined) return;
  for (let at = dirname(join(folder, path)); ; at = dirname(at)) {
    const real = realOf(at);
    if (real === undefined && relative(folder, at) !== '') continue;
    const way = relative(root, real ?? root);
    if (way !== '..' && !way.startsWith(`..${sep}`)) return;
    throw new HostError('usage', `${at} leads out of ${folder}`, { hint: 'name another folder with --out' });
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
