import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../model/host-error.js';

/** More folders than hosts of one state directory are ever killed in. */
const maxFolders = 32;

/**
 * Folders in which hosts of this state directory created control groups, the present one last. The next host may run
 * in another folder, and then would not find the groups of a killed one. The folder is added on disk before its first use.
 */
export function usedFolders(stateFolder: string | undefined, current: string): readonly string[] {
  if (stateFolder === undefined) return [current];
  const path = join(stateFolder, 'cgroup-folders');
  const known = read(path).filter((it) => it.startsWith('/') && it !== current);
  const folders = [...known, current].slice(-maxFolders);
  try {
    writeFileSync(path, `${folders.join('\n')}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new HostError('state_unusable', `the list of control groups ${path} cannot be written`, {
      cause,
      hint: 'check who owns the state directory, and that the disk is not full',
    });
  }
  return folders;
}

function read(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
