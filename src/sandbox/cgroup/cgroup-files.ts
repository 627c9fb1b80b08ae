import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

/** Access to a control group file system. All paths are absolute. */
export interface CgroupFiles {
  /** Null if the file cannot be read. */
  read(path: string): string | null;
  /** Names of the groups below this one; empty if it does not exist. */
  groups(path: string): readonly string[];
  create(path: string): void;
  write(path: string, value: string): void;
  /** Moving a process waits for the kernel, about 10 ms; other work continues meanwhile. */
  writeLater(path: string, value: string): Promise<void>;
  remove(path: string): void;
}

export const systemCgroupFiles: CgroupFiles = {
  read(path) {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return null;
    }
  },
  groups(path) {
    try {
      return readdirSync(path, { withFileTypes: true }).flatMap((it) => (it.isDirectory() ? [it.name] : []));
    } catch {
      return [];
    }
  },
  create: (path) => mkdirSync(path),
  // Without O_CREAT: a file that does not exist is a control that this kernel does not have.
  write: (path, value) => writeFileSync(path, value, { flag: 'r+' }),
  writeLater: (path, value) => writeFile(path, value, { flag: 'r+' }),
  remove: (path) => rmdirSync(path),
};
