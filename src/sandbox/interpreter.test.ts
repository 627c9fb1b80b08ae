import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findNode, findPython, type PythonCache, versionFits } from './interpreter.js';
import { isPassable, isRunnable } from './path-access.js';

const otherUser = { uid: 65533, gid: 65533 };
const self = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
  chmodSync(home, 0o755);
});
afterEach(() => rmSync(home, { recursive: true }));

/** Creates the files by which a Python installation is recognized. */
function installPython(prefix: string, minor: number): string {
  const folder = join(home, prefix);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'lib', `python3.${minor}`, 'encodings'), { recursive: true });
  writeFileSync(join(folder, 'bin', `python3.${minor}`), '', { mode: 0o755 });
  return folder;
}

describe('a Python', () => {
  test('of the requested version is found in the pyenv and uv folders, and its prefix is mounted', () => {
    const pyenv = installPython('.pyenv/versions/3.37.1', 37);
    const uv = installPython('.local/share/uv/python/cpython-3.38.0-linux', 38);
    symlinkSync('cpython-3.38.0-linux', join(home, '.local/share/uv/python/cpython-3.38-linux'));
    expect(findPython('3.37', otherUser, home)).toMatchObject({
      path: join(pyenv, 'bin', 'python3.37'),
      version: '3.37',
      mounts: [{ source: pyenv, target: pyenv, writable: false }],
      exact: true,
    });
    expect(findPython('3.38.0', otherUser, home)).toMatchObject({
      path: join(uv, 'bin', 'python3.38'),
      ...{ version: '3.38', patchVersion: '3.38.0', exact: true },
    });
    expect(findPython('3.38.2', otherUser, home)).toMatchObject({
      path: join(uv, 'bin', 'python3.38'),
      ...{ patchVersion: '3.38.0', exact: false },
      installed: expect.arrayContaining(['3.38.0', '3.37.1']),
    });
    expect(findPython('>=3.37.2,<3.39', otherUser, home)).toMatchObject({ version: '3.38', exact: true });
    expect(findPython(undefined, otherUser, home)).toMatchObject({ version: '3.38', exact: true });
    expect(findPython('>=3.37', otherUser, home)).toMatchObject({ version: '3.37', exact: true });
    expect(findPython('3.36', otherUser, home)).toMatchObject({ version: '3.37', exact: false });
    expect(findPython('3.39', otherUser, home)).toMatchObject({ version: '3.38', exact: false });
    expect(findPython('4.0', otherUser, home)).toMatchObject({ exact: false });
  });

  test('that is installed or removed after a search is noticed, although results are cached', () => {
    const cache: PythonCache = new Map();
    installPython('.pyenv/versions/3.36.1', 36);
    expect(findPython('3.36', otherUser, home, cache).exact).toBe(true);
    expect(findPython('3.37', otherUser, home, cache).exact).toBe(false);
    const later = installPython('.pyenv/versions/3.37.1', 37);
    expect(findPython('3.37', otherUser, home, cache).exact).toBe(true);
    rmSync(later, { recursive: true });
    expect(findPython('3.37', otherUser, home, cache).exact).toBe(false);
  });

  test('of the same minor version is chosen by its last number, also from its program text', () => {
    installPython('.pyenv/versions/3.37.1', 37);
    const built = installPython('.pyenv/versions/mine', 37);
    writeFileSync(join(built, 'bin', 'python3.37'), `\x7fELF${'x'.repeat(2 ** 20 - 8)}\x003.37.4\x00`);
    expect(findPython('3.37.4', otherUser, home)).toMatchObject({
      ...{ path: join(built, 'bin', 'python3.37'), patchVersion: '3.37.4', exact: true },
    });
    expect(findPython('3.37.1', otherUser, home)).toMatchObject({ patchVersion: '3.37.1', exact: true });
    writeFileSync(join(built, 'bin', 'python3.37'), 'no version');
    expect(findPython('3.37.4', otherUser, home).exact).toBe(false);
  });

  test('of the system needs no mounts', () => {
    const found = findPython(undefined, otherUser, home);
    expect(found.path).toMatch(/^\/usr\//);
    expect(found.mounts).toEqual([]);
  });

  test('that is too old, incomplete, removed or not runnable by the sandbox user is not used', () => {
    installPython('.pyenv/versions/3.8.1', 8);
    const closed = installPython('.pyenv/versions/3.37.1', 37);
    const partial = installPython('.pyenv/versions/3.36.1', 36);
    rmSync(join(partial, 'lib'), { recursive: true });
    chmodSync(join(home, '.pyenv'), 0o700);
    if (self.uid === 0) expect(findPython('3.37', otherUser, home).exact).toBe(false);
    chmodSync(join(home, '.pyenv'), 0o755);
    expect(findPython('3.8', self, home).version).not.toBe('3.8');
    expect(findPython('3.36', self, home).version).toBe('3.37');
    rmSync(closed, { recursive: true });
    expect(findPython('3.37', self, home).exact).toBe(false);
  });

  test('in the home folder itself is not used, because the whole home folder would be mounted', () => {
    installPython('.', 39);
    mkdirSync(join(home, '.pyenv', 'versions', 'own', 'bin'), { recursive: true });
    symlinkSync(
      join(home, 'bin', 'python3.39'),
      join(home, '.pyenv', 'versions', 'own', 'bin', 'python3.39'),
    );
    expect(findPython('3.39', otherUser, home).exact).toBe(false);
  });
});

describe('a Node', () => {
  const node = () => {
    mkdirSync(join(home, 'v1', 'bin'), { recursive: true });
    mkdirSync(join(home, 'v1', 'lib', 'node_modules', 'npm'), { recursive: true });
    const path = join(home, 'v1', 'bin', 'node');
    writeFileSync(path, '', { mode: 0o755 });
    return path;
  };

  test('outside /usr is mounted together with its npm and nothing else', () => {
    const path = node();
    const npm = join(home, 'v1', 'lib', 'node_modules', 'npm');
    expect(findNode('20', otherUser, { path, version: '20.20.2' })).toEqual({
      path,
      version: '20.20.2',
      mounts: [path, npm].map((it) => ({ source: it, target: it, writable: false })),
      exact: true,
    });
  });

  test.each([
    [undefined, true],
    ['20', true],
    ['20.x', true],
    ['v20.1.0', true],
    ['>=18', true],
    ['^20.1', true],
    ['20.99', false],
    ['18', false],
    ['22', false],
    ['>=22', false],
  ])('requested as %j: exact match is %j', (requested, exact) => {
    expect(findNode(requested, self, { path: process.execPath, version: '20.20.2' }).exact).toBe(exact);
  });

  test('that the sandbox user cannot run is reported as runtime_missing', () => {
    const path = node();
    chmodSync(path, 0o600);
    expect(() => findNode(undefined, otherUser, { path, version: '20.20.2' })).toThrow(
      expect.objectContaining({ code: 'runtime_missing' }),
    );
  });
});

test('mode bits are evaluated like in the kernel: only the first matching class (owner, group, other) decides', () => {
  const folder = join(home, 'folder');
  mkdirSync(folder);
  const { uid, gid } = self;
  chmodSync(folder, 0o705);
  expect(isRunnable(folder, { uid: uid + 1, gid: gid + 1 })).toBe(true);
  expect(isRunnable(folder, { uid: uid + 1, gid })).toBe(false);
  chmodSync(folder, 0o750);
  expect(isRunnable(folder, { uid: uid + 1, gid })).toBe(true);
  expect(isRunnable(folder, { uid: uid + 1, gid: gid + 1 })).toBe(false);
  expect(isRunnable(join(home, 'none'), self)).toBe(false);
  chmodSync(folder, 0o711);
  expect(isRunnable(folder, { uid: uid + 1, gid })).toBe(false);
  expect(isPassable(folder, { uid: uid + 1, gid })).toBe(true);
  expect(isPassable(folder, self)).toBe(true);
});

test.each([
  ['>=3.9', '3.11', true],
  ['>=3.9', '3.8', false],
  ['^20.1', '20', true],
  ['20', '22', false],
  [undefined, '3.11', true],
  ['>=3.9', '../3.11', false],
  ['3.11.7', '3.11.7', true],
  ['3.11.7', '3.11.2', false],
  ['3.11.7', '3.11', false],
  ['python 3.11', '3.11.2', true],
  ['>=3.11.3', '3.11.2', false],
  ['>=3.11.3', '3.12', true],
  ['>=3.9,<3.12', '3.13', false],
  ['>= 3.9 < 3.12', '3.11', true],
  ['~=3.11.2', '3.11.7', true],
  ['~=3.11.2', '3.12.0', false],
  ['~=3.10', '3.12', true],
  ['!=3.11.2', '3.11.2', false],
  ['20.11.1', '20.20.2', true],
  ['20.11.1', '20.10.0', false],
  ['~20.11.1', '20.20.2', false],
])('whether %s is fit by %s: %s', (requested, version, fits) => {
  expect(versionFits(requested, version)).toBe(fits);
});
