import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isPassable, isRunnable } from './access.js';
import { findNode, findPython } from './interpreter.js';

const stranger = { uid: 65533, gid: 65533 };
const self = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
  chmodSync(home, 0o755);
});
afterEach(() => rmSync(home, { recursive: true }));

/** The files by which a Python is known. */
function plant(prefix: string, minor: number): string {
  const folder = join(home, prefix);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'lib', `python3.${minor}`, 'encodings'), { recursive: true });
  writeFileSync(join(folder, 'bin', `python3.${minor}`), '', { mode: 0o755 });
  return folder;
}

describe('Python', () => {
  test('of the wished-for version is found with pyenv and uv, and its prefix is lent', () => {
    const pyenv = plant('.pyenv/versions/3.37.1', 37);
    const uv = plant('.local/share/uv/python/cpython-3.38.0-linux', 38);
    symlinkSync('cpython-3.38.0-linux', join(home, '.local/share/uv/python/cpython-3.38-linux'));
    expect(findPython('3.37', stranger, home)).toEqual({
      path: join(pyenv, 'bin', 'python3.37'),
      version: '3.37',
      mounts: [{ source: pyenv, target: pyenv, writable: false }],
      exact: true,
    });
    expect(findPython('3.38.2', stranger, home)).toMatchObject({
      path: join(uv, 'bin', 'python3.38'),
      exact: true,
    });
    expect(findPython(undefined, stranger, home)).toMatchObject({ version: '3.38', exact: true });
    expect(findPython('>=3.37', stranger, home)).toMatchObject({ version: '3.37', exact: true });
    expect(findPython('3.36', stranger, home)).toMatchObject({ version: '3.37', exact: false });
    expect(findPython('3.39', stranger, home)).toMatchObject({ version: '3.38', exact: false });
    expect(findPython('4.0', stranger, home)).toMatchObject({ exact: false });
  });

  test('of the system needs no mounts', () => {
    const found = findPython(undefined, stranger, home);
    expect(found.path).toMatch(/^\/usr\//);
    expect(found.mounts).toEqual([]);
  });

  test('that is too old, incomplete, gone or not for the sandbox user is not taken', () => {
    plant('.pyenv/versions/3.8.1', 8);
    const closed = plant('.pyenv/versions/3.37.1', 37);
    const partial = plant('.pyenv/versions/3.36.1', 36);
    rmSync(join(partial, 'lib'), { recursive: true });
    chmodSync(join(home, '.pyenv'), 0o700);
    if (self.uid === 0) expect(findPython('3.37', stranger, home).exact).toBe(false);
    chmodSync(join(home, '.pyenv'), 0o755);
    expect(findPython('3.8', self, home).version).not.toBe('3.8');
    expect(findPython('3.36', self, home).version).toBe('3.37');
    rmSync(closed, { recursive: true });
    expect(findPython('3.37', self, home).exact).toBe(false);
  });

  test('never brings the whole home folder along', () => {
    plant('.', 39);
    mkdirSync(join(home, '.pyenv', 'versions', 'own', 'bin'), { recursive: true });
    symlinkSync(
      join(home, 'bin', 'python3.39'),
      join(home, '.pyenv', 'versions', 'own', 'bin', 'python3.39'),
    );
    expect(findPython('3.39', stranger, home).exact).toBe(false);
  });
});

describe('Node', () => {
  const node = () => {
    mkdirSync(join(home, 'v1', 'bin'), { recursive: true });
    mkdirSync(join(home, 'v1', 'lib', 'node_modules', 'npm'), { recursive: true });
    const path = join(home, 'v1', 'bin', 'node');
    writeFileSync(path, '', { mode: 0o755 });
    return path;
  };

  test('outside of the system is lent with its npm, and nothing beside them', () => {
    const path = node();
    const npm = join(home, 'v1', 'lib', 'node_modules', 'npm');
    expect(findNode('20', stranger, { path, version: '20.20.2' })).toEqual({
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
  ])('wished for as %j', (wished, exact) => {
    expect(findNode(wished, self, { path: process.execPath, version: '20.20.2' }).exact).toBe(exact);
  });

  test('that the sandbox user cannot run is an error that says so', () => {
    const path = node();
    chmodSync(path, 0o600);
    expect(() => findNode(undefined, stranger, { path, version: '20.20.2' })).toThrow(
      expect.objectContaining({ code: 'runtime_missing' }),
    );
  });
});

test('modes are read as the kernel reads them: the first class that fits decides', () => {
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
