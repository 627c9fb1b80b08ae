import type { StoredGeneration } from '../../store/installations.js';
import { isGenerationOf } from './lock-entry.js';
import { lockFilePath, readLockFile } from './lock-file.js';

/** A lock file with an entry for a package. */
export interface NamingLockFile {
  /** Absolute path. */
  readonly file: string;
  /** Whether the entry is exactly the generation. */
  readonly isGeneration: boolean;
}

/** The lock files of these workspaces that name the package of a generation. A broken one says nothing. */
export async function namingLockFiles(
  generation: StoredGeneration,
  roots: Iterable<string>,
): Promise<readonly NamingLockFile[]> {
  const found: NamingLockFile[] = [];
  for (const root of new Set(roots)) {
    const file = await readLockFile(root).catch(() => undefined);
    const entry = file?.packages.find((it) => it.id === generation.package);
    if (entry === undefined) continue;
    found.push({ file: lockFilePath(root), isGeneration: isGenerationOf(entry, generation, root) });
  }
  return found;
}
