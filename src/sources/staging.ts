import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolderWithMode, removeTree } from '../environment/file-tree.js';
import { isAlive } from '../sandbox/live-process.js';

/** A private folder for downloads and unfinished trees. */
export interface StagingFolder {
  readonly folder: string;
  /** Removes it with everything that is still in it. */
  close(): Promise<void>;
}

/** Staging folders that this process uses. They belong to the process, like the number in their names. */
const active = new Set<string>();

export async function openStagingFolder(base: string, name: string): Promise<StagingFolder> {
  const folder = join(base, `${process.pid}.${name}`);
  active.add(folder);
  makeFolderWithMode(base, 0o700);
  makeFolderWithMode(folder, 0o700);
  return {
    folder,
    async close() {
      await removeTree(folder);
      active.delete(folder);
    },
  };
}

/** Removes staging folders of processes that have ended. */
export async function removeAbandonedStaging(base: string): Promise<void> {
  for (const name of await readdir(base).catch(() => [])) {
    const path = join(base, name);
    const pid = Number(/^(\d+)\./.exec(name)?.[1] ?? 0);
    if (pid === process.pid ? active.has(path) : pid > 0 && isAlive(pid)) continue;
    await removeTree(path);
  }
}
