import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

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

/** The level of a working sandbox on this machine: without a control group, memory is only watched. */
export const workingLevel: unknown =
  writableControlGroup() === null ? expect.stringMatching(/^(?:enforced|degraded)$/) : 'enforced';
