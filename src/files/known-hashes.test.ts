import { chmodSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KnownHashes } from './known-hashes.js';

let folder: string;
let path: string;
const hashes = new KnownHashes();
// The kernel counts the time of a change in steps of a few milliseconds.
const nextTick = () => new Promise((resolve) => setTimeout(resolve, 20));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'known-hashes-'));
  path = join(folder, 'file');
  writeFileSync(path, 'one');
  hashes.remember(path, 'hash');
  await nextTick();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the known hash of a file', () => {
  test('counts while the file is untouched', () => {
    expect(hashes.get(path)).toBe('hash');
    expect(hashes.get(join(folder, 'other'))).toBeUndefined();
  });

  test.each([
    ['content of the same size', () => writeFileSync(path, 'two')],
    ['permissions', () => chmodSync(path, 0o755)],
    [
      'content, with its old time',
      () => {
        writeFileSync(path, 'two');
        utimesSync(path, 1, 1);
      },
    ],
  ])('does not count after a change of its %s', (_, change) => {
    change();
    expect(hashes.get(path)).toBeUndefined();
  });

  test('does not count for a link in its place', () => {
    rmSync(path);
    symlinkSync('elsewhere', path);
    expect(hashes.get(path)).toBeUndefined();
  });
});
