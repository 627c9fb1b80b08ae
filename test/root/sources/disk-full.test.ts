// A store on a small file system that becomes full: a clear error, and nothing is left. Mounting it needs root.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contentStore } from '../../../src/sources/content-store.js';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'disk-full-'));
  execFileSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0755', 'tmpfs', base]);
});
afterEach(() => {
  execFileSync('/usr/bin/umount', [base]);
  rmSync(base, { recursive: true });
});

test('a full disk is reported, and nothing of the tree is left', async () => {
  const store = contentStore({ folder: join(base, 'store'), newName: () => 'one' });
  const { signal } = new AbortController();
  const file = (name: string, size: number) => ({
    path: name,
    executable: false,
    bytes: Buffer.alloc(size, name),
  });
  const { digest } = await store.add([file('small', 1000)], { signal });
  const many = Array.from({ length: 40 }, (_, index) => file(`f${index}`, 50_000));
  await expect(store.add(many, { signal })).rejects.toMatchObject({
    code: 'state_unusable',
    message: expect.stringContaining('is full; nothing was stored'),
  });
  expect(await store.list()).toEqual([digest]);
  expect(readdirSync(join(base, 'store/staging'))).toEqual([]);
  await store.verify(digest);
});
