import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isWithin } from '../files/path-containment.js';
import { realPathOf } from '../files/real-path.js';
import type { Interpreter } from '../sandbox/interpreter.js';
import { isRunnable, type SandboxUser } from '../sandbox/path-access.js';

/** Folders of the system in the PATH of every sandboxed program. */
export const binaryFolders: readonly string[] = ['/usr/local/bin', '/usr/bin', '/bin'];

/** What every sandbox shows of the system: a link that leads out of it is broken inside. */
const systemFolders = ['/usr', '/etc/alternatives'];

/** The PATH of a program inside its sandbox, as folders of this machine. */
export interface SearchPath {
  readonly folders: readonly string[];
  /** Folders that the program can see; null: it sees all, because it runs without a sandbox. */
  readonly visible: readonly string[] | null;
  readonly user: SandboxUser;
}

/** The PATH of a program, without commands of installed language packages. */
export function searchPathOf(
  interpreter: Interpreter | null,
  { user, isolates }: { readonly user: SandboxUser; readonly isolates: boolean },
): SearchPath {
  const mounts = interpreter?.mounts.map((it) => it.source) ?? [];
  return {
    folders: [...interpreterFolders(interpreter), ...binaryFolders],
    visible: isolates ? [...systemFolders, ...mounts] : null,
    user,
  };
}

/** Folder of the interpreter: installed commands search their interpreter in PATH. */
export function interpreterFolders(interpreter: Interpreter | null): string[] {
  const folder = interpreter === null ? undefined : dirname(interpreter.path);
  return folder === undefined || binaryFolders.includes(folder) ? [] : [folder];
}

/** Whether a program with this PATH can start the binary: a file that it can see and may execute. */
export function isOnSearchPath(name: string, { folders, visible, user }: SearchPath): boolean {
  const paths = name.startsWith('/') ? [name] : folders.map((it) => join(it, name));
  return paths.some((path) => {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    const real = realPathOf(path) ?? path;
    const isVisible = visible === null || visible.some((it) => isWithin(real, realPathOf(it) ?? it));
    return isVisible && isRunnable(path, user);
  });
}
