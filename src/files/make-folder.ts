import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents one by one. The recursive mode of Node's mkdir never returns on file systems
 * that do not allow new folders, such as /proc.
 */
export function makeFolder(path: string, mode: number): void {
  const missing: string[] = [];
  for (let at = path; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
    missing.unshift(at);
    if (dirname(at) === at) break;
  }
  for (const it of missing) {
    try {
      mkdirSync(it, { mode });
    } catch (error) {
      // Another process created it at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
