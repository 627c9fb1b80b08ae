import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isOnSearchPath, type SearchPath, searchPathOf } from './search-path.js';

const base = mkdtempSync(join(tmpdir(), 'toolwharf-search-path-'));
chmodSync(base, 0o755);
afterAll(() => rmSync(base, { recursive: true }));

const bin = join(base, 'usr', 'bin');
const outside = join(base, 'opt');
for (const it of [bin, outside]) mkdirSync(it, { recursive: true });
const program = (path: string, mode = 0o755) => writeFileSync(path, '#!/bin/sh\n', { mode });
program(join(bin, 'plain'));
program(join(bin, 'text'), 0o644);
program(join(outside, 'far'));
mkdirSync(join(bin, 'folder'));
symlinkSync(join(outside, 'far'), join(bin, 'leads-out'));
symlinkSync('plain', join(bin, 'leads-in'));
symlinkSync('gone', join(bin, 'dangling'));

const user = { uid: 65534, gid: 65534 };
const path: SearchPath = { folders: [bin], visible: [join(base, 'usr')], user };

test.each([
  ['a program in a folder of the PATH', 'plain', true],
  ['a link to a program that is visible inside', 'leads-in', true],
  ['a link out of what the sandbox shows', 'leads-out', false],
  ['a file that is not executable', 'text', false],
  ['a folder', 'folder', false],
  ['a link to nothing', 'dangling', false],
  ['a program in another folder', 'far', false],
  ['a missing program', 'missing', false],
])('%s: %s', (_what, name, expected) => {
  expect(isOnSearchPath(name, path)).toBe(expected);
});

test('without a sandbox a link may lead anywhere', () => {
  expect(isOnSearchPath('leads-out', { ...path, visible: null })).toBe(true);
});

test('the folder of the interpreter is searched first, and what it needs is visible', () => {
  const mounts = [{ source: outside, target: outside, writable: false }];
  const interpreter = { path: join(outside, 'python3'), version: '3.12', mounts, exact: true };
  const found = searchPathOf(interpreter, { user, isolates: true });
  expect(found.folders).toEqual([outside, '/usr/local/bin', '/usr/bin', '/bin']);
  expect(isOnSearchPath('far', found)).toBe(true);
  expect(isOnSearchPath('far', searchPathOf(null, { user, isolates: true }))).toBe(false);
});

test('programs of the system are found', () => {
  expect(isOnSearchPath('env', searchPathOf(null, { user, isolates: true }))).toBe(true);
});
