import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SharedFlush } from './shared-flush.js';

let folder: string;
let descriptor: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shared-flush-'));
  descriptor = openSync(join(folder, 'file'), 'w');
});
afterEach(() => {
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

test('a failure reaches only those who asked for that file or folder', async () => {
  const flushes = new SharedFlush();
  const results = await Promise.allSettled([
    flushes.flush([descriptor]),
    flushes.flush([descriptor, 1_000_000]),
    flushes.flushFolder(join(folder, 'missing')),
    flushes.flushFolder(folder),
  ]);
  expect(results.map((it) => it.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  await flushes.flush([descriptor]);
});
