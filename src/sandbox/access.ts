import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Sandbox } from './sandbox.js';

/** Who confined processes are on this machine. */
export type User = Sandbox['user'];

const { R_OK, W_OK, X_OK } = constants;

/** Whether this user can reach the path and read it, and list it or run it where that is what it is for. */
export function isRunnable(path: string, user: User): boolean {
  return isReachable(path, user, R_OK | X_OK);
}

/** Whether this user can go through a folder to what lies in it, able to list it or not. */
export function isPassable(folder: string, user: User): boolean {
  return isReachable(folder, user, X_OK);
}

/** Whether a folder that can be reached can be used: listed, and written to where that is wanted. */
export function canUse(folder: string, user: User, writable: boolean): boolean {
  return allows(folder, user, R_OK | X_OK | (writable ? W_OK : 0));
}

/** The first folder on the way to a path, itself included, that a user cannot pass; undefined when the way is free. */
export function obstacle(path: string, user: User): string | undefined {
  const above = dirname(path);
  const before = above === path ? undefined : obstacle(above, user);
  return before ?? (allows(path, user, X_OK) ? undefined : path);
}

function isReachable(path: string, user: User, needed: number): boolean {
  let real: string;
  try {
    real = realpathSync.native(path);
  } catch {
    return false;
  }
  return obstacle(dirname(real), user) === undefined && allows(real, user, needed);
}

/** For the host's own user the kernel knows best; for another, who is in no other group, the mode is read as it would. */
function allows(path: string, user: User, needed: number): boolean {
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
