import { closeSync, constants, openSync } from 'node:fs';
import { posix } from 'node:path';

/** Opens a folder without the right to list it; Node has no name for this flag of Linux. */
const onlyPath = 0o10000000;
const folderFlags = onlyPath | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Runs `work` with a path to the entry `path` below `root`. The folders in between are opened one by one, and a link
 * among them is an error (ENOTDIR or ELOOP). So another program that replaces a folder by a link at the same time cannot
 * lead the host elsewhere. The entry itself may be a link: `work` must not follow it.
 */
export function withAnchoredEntry<T>(root: string, path: string, work: (entry: string) => T): T {
  const names = posix.relative(root, path).split('/');
  const last = names.pop();
  if (last === undefined || last === '' || last === '..' || names.includes('..'))
    throw new Error('the entry must be below the folder');
  let handle = openSync(root, folderFlags);
  try {
    for (const name of names) {
      const next = openSync(`/proc/self/fd/${handle}/${name}`, folderFlags);
      closeSync(handle);
      handle = next;
    }
    return work(`/proc/self/fd/${handle}/${last}`);
  } finally {
    closeSync(handle);
  }
}
