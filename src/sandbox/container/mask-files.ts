import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MaskFiles } from './run-arguments.js';

/** Creates the files that mask hidden paths, in a folder of the host that only the engine opens. */
export function createMaskFiles(folder: string): MaskFiles {
  const masks = {
    folder: join(folder, 'empty'),
    file: join(folder, 'nothing'),
    hosts: join(folder, 'hosts'),
  };
  mkdirSync(masks.folder, { recursive: true, mode: 0o555 });
  if (!existsSync(masks.file)) writeFileSync(masks.file, '');
  // Mode 0 and mounted read-only: a process inside cannot open it or change its mode.
  chmodSync(masks.file, 0);
  if (!existsSync(masks.hosts)) writeFileSync(masks.hosts, '127.0.0.1 localhost sandbox\n::1 localhost\n');
  chmodSync(masks.hosts, 0o444);
  return masks;
}
