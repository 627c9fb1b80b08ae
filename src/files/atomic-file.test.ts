import {
  chmodSync,
  fchmodSync,
  fstatSync,
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
import { type AtomicWrite, createFile, replaceFile, replaceFileLater } from './atomic-file.js';

let folder: string;
let path: string;
const plain: AtomicWrite = { mode: 0o644, flush: 'file' };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atomic-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = () => readFileSync(path, 'utf8');
const modeOf = () => statSync(path).mode & 0o7777;

describe.each<[string, (content: string) => unknown]>([
  ['without waiting for the disk', (content) => replaceFile(path, content, { ...plain, flush: 'none' })],
  ['with its content on disk', (content) => replaceFile(path, content, plain)],
  ['with its name on disk', (content) => replaceFile(path, content, { ...plain, flush: 'folder' })],
  ['in the background', (content) => replaceFileLater(path, content)],
])('replacing a file %s', (_, replace) => {
  test('creates it, or replaces it as a whole', async () => {
    await replace('one');
    const { ino } = statSync(path);
    await replace('two');
    expect(read()).toBe('two');
    expect(statSync(path).ino).not.toBe(ino);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('replaces a link, and not the file behind it', async () => {
    writeFileSync(join(folder, 'behind'), 'kept');
    symlinkSync('behind', path);
    await replace('new');
    expect(read()).toBe('new');
    expect(readFileSync(join(folder, 'behind'), 'utf8')).toBe('kept');
  });

  test('leaves the old one and no draft if it fails', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), '');
    await expect((async () => replace('new'))()).rejects.toMatchObject({ code: expect.any(String) });
    expect(readdirSync(folder)).toEqual(['file']);
    expect(readdirSync(path)).toEqual(['inside']);
  });
});

test('in the background, the file is private', async () => {
  await replaceFileLater(path, 'one');
  expect(modeOf()).toBe(0o600);
});

describe('creating a file', () => {
  test('never replaces anything', () => {
    expect(createFile(path, 'one', plain)).toBe(true);
    expect(createFile(path, 'two', plain)).toBe(false);
    expect(read()).toBe('one');
    symlinkSync('nowhere', join(folder, 'dangling'));
    expect(createFile(join(folder, 'dangling'), 'two', plain)).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['dangling', 'file']);
  });

  test('needs an existing folder', () => {
    expect(() => createFile(join(folder, 'no', 'file'), 'one', plain)).toThrow('ENOENT');
  });
});

describe('the mode', () => {
  test('obeys the umask', () => {
    const before = process.umask(0o027);
    try {
      replaceFile(path, 'one', { ...plain, mode: 0o666 });
    } finally {
      process.umask(before);
    }
    expect(modeOf()).toBe(0o640);
  });

  test('can be set exactly before the file gets its name', () => {
    writeFileSync(path, 'old');
    chmodSync(path, 0o604);
    replaceFile(path, 'new', {
      mode: 0o600,
      flush: 'file',
      prepare(file) {
        expect(fstatSync(file).mode & 0o777).toBe(0o600);
        expect(read()).toBe('old');
        fchmodSync(file, 0o604);
      },
    });
    expect([read(), modeOf()]).toEqual(['new', 0o604]);
  });

  test('an error while it is prepared leaves the old file and no draft', () => {
    writeFileSync(path, 'old');
    const prepare = () => {
      throw new Error('not the owner');
    };
    expect(() => replaceFile(path, 'new', { ...plain, prepare })).toThrow('not the owner');
    expect(read()).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
