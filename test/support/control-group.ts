import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The group of this process in version 1, if it may create groups below it; otherwise null. */
export function writableControlGroup(): string | null {
  const path = /^\d+:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  if (path === undefined) return null;
  const folder = join('/sys/fs/cgroup/memory', path);
  try {
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return null;
  }
}
