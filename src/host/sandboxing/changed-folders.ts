import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** The kernel takes times of files from a clock that is updated every few milliseconds. */
const clockStepMs = 20;
const maxEntries = 200_000;

/**
 * The top folders below `roots` in which something was made, changed or deleted since a time; `.` is a root itself.
 * Anybody may have done it. Undefined if there are too many files to know.
 */
export async function changedFolders(
  roots: readonly string[],
  since: number,
): Promise<readonly string[] | undefined> {
  const from = since - clockStepMs;
  const changed = new Set<string>();
  let count = 0;
  const visit = async (path: string, top: string): Promise<boolean> => {
    if (++count > maxEntries) return false;
    const entry = await lstat(path).catch(() => undefined);
    if (entry === undefined) return true;
    // Every change of content, name or rights sets it, and no program can set it back.
    if (entry.ctimeMs >= from) changed.add(top);
    if (!entry.isDirectory()) return true;
    const folder = await opendir(path).catch(() => undefined);
    if (folder === undefined) return true;
    for await (const { name } of folder) {
      const below = join(path, name);
      if (!(await visit(below, top === '.' && path !== below && roots.includes(path) ? name : top)))
        return false;
    }
    return true;
  };
  for (const root of roots) if (!(await visit(root, '.'))) return undefined;
  return [...changed].sort();
}
