import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { moveTree, readUntrustedFile, removeTree, sealTree, sha256Of } from './file-tree.js';

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

test('a sealed tree is read-only, has no set-uid bits, and can still be moved', async () => {
  symlinkSync('../program', join(tree, 'inner', 'link'));
  await sealTree(tree);
  expect(modeOf(join(tree, 'inner', 'file'))).toBe(0o444);
  expect(modeOf(join(tree, 'program'))).toBe(0o555);
  expect(modeOf(join(tree, 'inner'))).toBe(0o555);
  const target = join(base, 'target');
  expect(await moveTree(target, tree)).toBe(true);
  expect(modeOf(target)).toBe(0o555);
});

test('moving a tree does not replace an existing one', async () => {
  const target = join(base, 'target');
  mkdirSync(target);
  writeFileSync(join(target, 'first'), '');
  await sealTree(tree);
  expect(await moveTree(target, tree)).toBe(false);
  expect(readFileSync(join(target, 'first'), 'utf8')).toBe('');
});

test.each(['/etc/hostname', '../../outside', '../..'])('a link to %s is rejected', async (target) => {
  symlinkSync(target, join(tree, 'inner', 'link'));
  await expect(sealTree(tree)).rejects.toMatchObject({ code: 'integrity' });
});

test('a named pipe is rejected, and reading one does not block', async () => {
  const pipe = join(tree, 'inner', 'pipe');
  execFileSync('/usr/bin/mkfifo', [pipe]);
  await expect(sealTree(tree)).rejects.toMatchObject({ code: 'integrity' });
  await expect(sha256Of(pipe)).rejects.toMatchObject({ code: 'integrity' });
  await expect(readUntrustedFile(pipe, 10)).rejects.toMatchObject({ code: 'integrity' });
});

test('reading does not follow links, and rejects files above the size limit', async () => {
  symlinkSync(join(tree, 'program'), join(base, 'link'));
  await expect(readUntrustedFile(join(base, 'link'), 100)).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(sha256Of(join(base, 'link'))).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(readUntrustedFile(join(tree, 'program'), 3)).rejects.toMatchObject({ code: 'integrity' });
});
