import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLaunch } from '../../../model/launch/read-launch.js';
import { pathArguments } from './path-arguments.js';

let base: string;
let home: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'path-arguments-')));
  home = join(base, 'home', 'me');
  mkdirSync(home, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true }));

function put(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return path;
}

function codeFolder(script: string, at = home): string | undefined {
  const launch = readLaunch(['node', script]);
  if ('problem' in launch) throw new Error(launch.problem);
  return pathArguments(launch, base, at).codeFolder;
}

test('the code of a script is in the nearest folder with a list of dependencies', () => {
  put(join(home, 'project', 'package.json'));
  expect(codeFolder(put(join(home, 'project', 'dist', 'server.mjs')))).toBe(join(home, 'project'));
});

test('it is never the home folder, or a folder above it', () => {
  put(join(home, 'package.json'));
  put(join(base, 'home', 'package.json'));
  put(join(base, 'package.json'));
  const script = put(join(home, 'tools', 'server.mjs'));
  expect(codeFolder(script)).toBe(join(home, 'tools'));
  // Without a home folder there, the same list of dependencies counts.
  expect(codeFolder(script, '/nowhere')).toBe(home);
  expect(codeFolder(put(join(base, 'home', 'other', 'server.mjs')))).toBe(join(base, 'home', 'other'));
  symlinkSync(home, join(base, 'link'));
  expect(codeFolder(join(base, 'link', 'tools', 'server.mjs'))).toBe(join(base, 'link', 'tools'));
  expect(codeFolder(script, join(base, 'link'))).toBe(join(home, 'tools'));
});

test('it does not leave the repository of the script', () => {
  put(join(home, 'work', 'package.json'));
  mkdirSync(join(home, 'work', 'server', '.git'), { recursive: true });
  expect(codeFolder(put(join(home, 'work', 'server', 'src', 'a.mjs')))).toBe(
    join(home, 'work', 'server', 'src'),
  );
  put(join(home, 'work', 'server', 'package.json'));
  expect(codeFolder(join(home, 'work', 'server', 'src', 'a.mjs'))).toBe(join(home, 'work', 'server'));
});

test('a script in the home folder itself is refused', () => {
  expect(() => codeFolder(put(join(home, 'server.mjs')))).toThrow(/could read all of/);
  expect(() => codeFolder(put(join(base, 'server.mjs')))).toThrow(/could read all of/);
});
