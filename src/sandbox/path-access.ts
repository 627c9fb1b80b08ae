import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Sandbox } from './sandbox.js';

/** User and group that sandboxed processes run as. */
export type SandboxUser = Sandbox['user'];

const { R_OK, W_OK, X_OK } = constants;

/** Whether this user can reach the path, and read and execute it (for a folder: list and enter it). */
export function isRunnable(path: string, user: SandboxUser): boolean {
  return isReachable(path, user, R_OK | X_OK);
}

/** Whether this user can traverse a folder, even if it cannot list it. */
export function isPassable(folder: string, user: SandboxUser): boolean {
  return isReachable(folder, user, X_OK);
}

/** Whether the user can list a reachable folder, and also write to it if `writable`. */
export function canUse(folder: string, user: SandboxUser, writable: boolean): boolean {
  return allows(folder, user, R_OK | X_OK | (writable ? W_OK : 0));
}

/** The first folder of the path (the path itself included) that the user cannot traverse; undefined if there is none. */
export function firstImpassableFolder(path: string, user: SandboxUser): string | undefined {
  const above = dirname(path);
  const before = above === path ? undefined : firstImpassableFolder(above, user);
  return before ?? (allows(path, user, X_OK) ? undefined : path);
}

function isReachable(path: string, user: SandboxUser, needed: number): boolean {
  let real: string;
  try {
    real = realpathSync.native(path);
  } catch {
    return false;
  }
  return firstImpassableFolder(dirname(real), user) === undefined && allows(real, user, needed);
}

/** Asks the kernel for the host's own user. For another user (who has no supplementary groups) it evaluates the mode bits. */
function allows(path: string, user: SandboxUser, needed: number): boolean {
  let stats: Stats;
  try {
    if (process.getuid?.() === user.uid) {
      accessSync(path, needed);
      return true;
    }
    stats = statSync(path);
  } catch {
    return false;
  }
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
  return ((stats.mode >> shift) & needed) === needed;
}
