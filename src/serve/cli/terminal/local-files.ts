import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../../files/make-folder.js';

/** Text of a regular file of at most 16 MiB; undefined otherwise. Reading a pipe or a device could block. */
export function readLocalText(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    return statSync(path).isFile() && size <= 16 * 1024 * 1024 ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Creates missing folders; never overwrites a file. */
export function writeNewFile(path: string, content: string | Uint8Array): void {
  makeFolder(dirname(path), 0o777);
  writeFileSync(path, content, { flag: 'wx' });
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
