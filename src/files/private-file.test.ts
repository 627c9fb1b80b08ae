import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder } from './make-folder.js';
import { createPrivateFile, readPrivateFile, removePrivateFile, replacePrivateFile } from './private-file.js';
import { assertPrivateFolder } from './private-folder.js';

let folder: string;
let path: string;
const sizes = { min: 2, max: 10 };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-'));
  path = join(folder, 'key');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (of: string) => statSync(of).mode & 0o7777;
const unusable = (text: string) =>
  expect.objectContaining({ code: 'state_unusable', message: expect.stringContaining(text) });
const failureOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('a private file', () => {
  test('is missing at first, and has mode 0600 whatever the umask is', () => {
    expect(readPrivateFile(path, sizes)).toBeUndefined();
    const before = process.umask(0o277);
    try {
      expect(createPrivateFile(path, 'secret')).toBe(true);
    } finally {
      process.umask(before);
    }
    expect(modeOf(path)).toBe(0o600);
    expect(readPrivateFile(path, sizes)?.toString()).toBe('secret');
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('that exists is not changed by creating it again', () => {
    createPrivateFile(path, 'first');
    expect(createPrivateFile(path, 'second')).toBe(false);
    expect(readPrivateFile(path, sizes)?.toString()).toBe('first');
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('is replaced as a whole', () => {
    createPrivateFile(path, 'first');
    const { ino } = statSync(path);
    replacePrivateFile(path, Buffer.from('second'));
    expect(readPrivateFile(path, sizes)?.toString()).toBe('second');
    expect(statSync(path).ino).not.toBe(ino);
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['key']);
  });

  test('can be removed, also if it is missing', () => {
    createPrivateFile(path, 'first');
    removePrivateFile(path);
    removePrivateFile(path);
    expect(existsSync(path)).toBe(false);
  });

  test.each([0o640, 0o604, 0o660, 0o602, 0o610, 0o601])('with mode %o can be read by others', (mode) => {
    createPrivateFile(path, 'secret');
    chmodSync(path, mode);
    expect(failureOf(() => readPrivateFile(path, sizes))).toEqual(unusable('can be read by others'));
  });

  test('that is executable is rejected', () => {
    createPrivateFile(path, 'secret');
    chmodSync(path, 0o700);
    expect(failureOf(() => readPrivateFile(path, sizes))).toEqual(unusable('is executable'));
  });

  test('may be read-only for its owner', () => {
    createPrivateFile(path, 'secret');
    chmodSync(path, 0o400);
    expect(readPrivateFile(path, sizes)?.toString()).toBe('secret');
  });

  test.each([0, 1, 11, 1000])('of %i bytes is damaged', (size) => {
    createPrivateFile(path, 'x'.repeat(size));
    expect(failureOf(() => readPrivateFile(path, sizes))).toEqual(unusable('wrong size'));
  });

  test('that is a link is not read, and a write replaces the link only', () => {
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'planted', { mode: 0o600 });
    symlinkSync(elsewhere, path);
    expect(failureOf(() => readPrivateFile(path, sizes))).toEqual(unusable('cannot be read'));
    expect(createPrivateFile(path, 'own')).toBe(false);
    replacePrivateFile(path, 'own');
    expect(readPrivateFile(path, sizes)?.toString()).toBe('own');
    expect(readFileSync(elsewhere, 'utf8')).toBe('planted');
  });

  test('that is a folder or a pipe is rejected, and reading it does not block', () => {
    mkdirSync(path);
    expect(failureOf(() => readPrivateFile(path, sizes))).toEqual(unusable('is not a regular file'));
    const pipe = join(folder, 'pipe');
    execFileSync('/usr/bin/mkfifo', ['-m', '600', pipe]);
    expect(failureOf(() => readPrivateFile(pipe, sizes))).toEqual(unusable('is not a regular file'));
  });

  test('that cannot be written leaves nothing behind', () => {
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), '');
    expect(failureOf(() => replacePrivateFile(path, 'own'))).toEqual(unusable('cannot be written'));
    expect(readdirSync(folder)).toEqual(['key']);
    const missing = join(folder, 'no', 'key');
    expect(failureOf(() => createPrivateFile(missing, 'own'))).toEqual(unusable('cannot be written'));
  });
});

describe('a private folder', () => {
  test('belongs to the user, and nobody else can write to it', () => {
    assertPrivateFolder(folder);
    chmodSync(folder, 0o755);
    assertPrivateFolder(folder);
    for (const mode of [0o775, 0o757, 0o1777]) {
      chmodSync(folder, mode);
      expect(failureOf(() => assertPrivateFolder(folder))).toEqual(unusable('only you can write to'));
    }
  });

  test('is not a link and not a file', () => {
    mkdirSync(join(folder, 'real'), { mode: 0o700 });
    symlinkSync(join(folder, 'real'), path);
    expect(failureOf(() => assertPrivateFolder(path))).toEqual(unusable('is not a folder'));
    writeFileSync(join(folder, 'file'), '');
    expect(failureOf(() => assertPrivateFolder(join(folder, 'file')))).toEqual(unusable('is not a folder'));
  });
});

test('a folder is made with its parents, and making it again is fine', () => {
  const deep = join(folder, 'a', 'b', 'c');
  makeFolder(deep, 0o700);
  makeFolder(deep, 0o700);
  expect([modeOf(deep), modeOf(join(folder, 'a'))]).toEqual([0o700, 0o700]);
  // The recursive mode of Node's mkdir never returns here.
  expect(() => makeFolder('/proc/toolwharf/state', 0o700)).toThrow();
});
