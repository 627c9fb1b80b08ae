import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { moveInto, readForeign, removeTree, seal, sha256Of, writeWhole } from './tree.js';

let base: string;
let tree: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tree-'));
  tree = join(base, 'tree');
  mkdirSync(join(tree, 'inner'), { recursive: true });
  writeFileSync(join(tree, 'inner', 'file'), 'text', { mode: 0o666 });
  writeFileSync(join(tree, 'program'), '#!/bin/sh\n', { mode: 0o4755 });
});

afterEach(() => removeTree(base));

const modeOf = (path: string) => statSync(path).mode & 0o7777;

test('a sealed tree is read-only, without set-uid bits, and can still be moved into its place', async () => {
  symlinkSync('../program', join(tree, 'inner', 'link'));
  await seal(tree);
  expect(modeOf(join(tree, 'inner', 'file'))).toBe(0o444);
  expect(modeOf(join(tree, 'program'))).toBe(0o555);
  expect(modeOf(join(tree, 'inner'))).toBe(0o555);
  const place = join(base, 'place');
  expect(await moveInto(place, tree)).toBe(true);
  expect(modeOf(place)).toBe(0o555);
});

test('a place that is taken stays as it is', async () => {
  const place = join(base, 'place');
  mkdirSync(place);
  writeFileSync(join(place, 'first'), '');
  await seal(tree);
  expect(await moveInto(place, tree)).toBe(false);
  expect(readFileSync(join(place, 'first'), 'utf8')).toBe('');
});

test.each(['/etc/hostname', '../../outside', '../..'])('a link to %s is refused', async (target) => {
  symlinkSync(target, join(tree, 'inner', 'link'));
  await expect(seal(tree)).rejects.toMatchObject({ code: 'integrity' });
});

test('a pipe is refused, and reading one does not wait', async () => {
  const pipe = join(tree, 'inner', 'pipe');
  execFileSync('/usr/bin/mkfifo', [pipe]);
  await expect(seal(tree)).rejects.toMatchObject({ code: 'integrity' });
  await expect(sha256Of(pipe)).rejects.toMatchObject({ code: 'integrity' });
  await expect(readForeign(pipe, 10)).rejects.toMatchObject({ code: 'integrity' });
});

test('links are not read through, and large files not at all', async () => {
  symlinkSync(join(tree, 'program'), join(base, 'link'));
  await expect(readForeign(join(base, 'link'), 100)).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(sha256Of(join(base, 'link'))).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(readForeign(join(tree, 'program'), 3)).rejects.toMatchObject({ code: 'integrity' });
});

test('a file is written whole', async () => {
  await writeWhole(join(base, 'lock'), 'one', join(base, 'spare'));
  await writeWhole(join(base, 'lock'), 'two', join(base, 'spare'));
  expect(readFileSync(join(base, 'lock'), 'utf8')).toBe('two');
  expect(modeOf(join(base, 'lock'))).toBe(0o600);
});
