import { existsSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/** All paths of the home folder: from the environment, from the user database, and with symbolic links resolved. */
export function homeFolders(): string[] {
  const reported: string[] = [];
  for (const read of [homedir, () => userInfo().homedir]) {
    try {
      reported.push(read());
    } catch {
      // A user can be missing in the user database, mostly in containers.
    }
  }
  const real = reported.flatMap((it) => (existsSync(it) ? [realpathSync.native(it)] : []));
  return [...new Set([...reported, ...real])].filter((it) => isAbsolute(it));
}
