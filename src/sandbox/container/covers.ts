import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Covers } from './arguments.js';

/** Makes what is laid over hidden files in a folder of the host's own; only the engine ever opens it there. */
export function makeCovers(folder: string): Covers {
  const covers = {
    folder: join(folder, 'empty'),
    file: join(folder, 'nothing'),
    hosts: join(folder, 'hosts'),
  };
  mkdirSync(covers.folder, { recursive: true, mode: 0o555 });
  if (!existsSync(covers.file)) writeFileSync(covers.file, '');
  // Nobody inside can open it, and nobody can change that: it is mounted for reading only.
  chmodSync(covers.file, 0);
  if (!existsSync(covers.hosts)) writeFileSync(covers.hosts, '127.0.0.1 localhost sandbox\n::1 localhost\n');
  chmodSync(covers.hosts, 0o444);
  return covers;
}
