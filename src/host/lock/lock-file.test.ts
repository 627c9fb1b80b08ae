import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LockedPackage } from '../../model/lock-file.js';
import { lockFilePath, readLockFile, writeLockEntry } from './lock-file.js';
import { assertProjectGrants } from './project-path.js';

const digest = 'a'.repeat(64);
const entry: LockedPackage = {
  ...{ id: 'counter', version: '1.0.0', source: './tools/counter', tree: digest, digest },
  locked: { kind: 'folder', path: 'tools/counter' },
  manifest: 'toolspace.json',
  requires: ['net:api.example.com'],
  grants: ['read:data'],
  lock: { version: '1.2.3' },
  environments: [],
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'lock-file-'));
});
afterAll(() => rmSync(root, { recursive: true }));

async function reading(text: string) {
  writeFileSync(lockFilePath(root), text);
  return readLockFile(root);
}

const fileOf = (...packages: readonly unknown[]) => JSON.stringify({ schema: 'toolwharf/lock@1', packages });

test('what is written is read again, sorted and always the same', async () => {
  expect(await readLockFile(join(root, 'nowhere'))).toBeUndefined();
  rmSync(lockFilePath(root), { force: true });
  await writeLockEntry(root, 'second', { ...entry, id: 'second' });
  await writeLockEntry(root, 'counter', entry);
  const first = readFileSync(lockFilePath(root), 'utf8');
  expect((await readLockFile(root))?.packages.map((it) => it.id)).toEqual(['counter', 'second']);
  await writeLockEntry(root, 'second', undefined);
  await writeLockEntry(root, 'second', { ...entry, id: 'second' });
  expect(readFileSync(lockFilePath(root), 'utf8')).toBe(first);
  expect(first.endsWith('}\n')).toBe(true);
});

test.each<[string, string]>([
  ['no JSON', '{'],
  ['another schema', JSON.stringify({ schema: 'toolwharf/lock@2', packages: [] })],
  ['a member that is not known', JSON.stringify({ schema: 'toolwharf/lock@1', packages: [], agreed: true })],
  ['such a member of an entry', fileOf({ ...entry, agree: digest })],
  ['such a member of a source', fileOf({ ...entry, locked: { ...entry.locked, url: 'x' } })],
  ['a package twice', fileOf(entry, entry)],
  ['a path that leads outside', fileOf({ ...entry, locked: { kind: 'folder', path: '../counter' } })],
  ['the same inside a path', fileOf({ ...entry, locked: { kind: 'folder', path: 'tools/../../x' } })],
  ['an absolute path', fileOf({ ...entry, locked: { kind: 'folder', path: '/etc' } })],
  ['a backslash', fileOf({ ...entry, locked: { kind: 'folder', path: 'tools\\counter' } })],
  ['the project itself', fileOf({ ...entry, locked: { kind: 'folder', path: '.' } })],
  ['a manifest outside', fileOf({ ...entry, manifest: '../toolspace.json' })],
  ['a digest that is a path', fileOf({ ...entry, tree: '../../trees' })],
  [
    'a URL with a password',
    fileOf({ ...entry, locked: { kind: 'https', url: 'https://a:b@c/', sha256: digest } }),
  ],
  ['a source without its lock', fileOf({ ...entry, locked: { kind: 'npm', name: 'a', range: '1' } })],
  ['a control character', fileOf({ ...entry, source: 'a\u001b[2J' })],
  [
    'deep nesting',
    fileOf({
      ...entry,
      environments: [{ requirements: [], lock: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) }],
    }),
  ],
  ['too much text', `"${'a'.repeat(17 * 1024 * 1024)}"`],
])('a lock file with %s is rejected', async (_, text) => {
  await expect(reading(text)).rejects.toMatchObject({ code: 'invalid_config' });
});

test('the control: the entry by itself is accepted', async () => {
  expect(await reading(fileOf(entry))).toEqual({ packages: [entry] });
});

test('a link or a folder is not read', async () => {
  rmSync(lockFilePath(root));
  symlinkSync('/dev/zero', lockFilePath(root));
  await expect(readLockFile(root)).rejects.toMatchObject({ code: 'invalid_config' });
  rmSync(lockFilePath(root));
  mkdirSync(lockFilePath(root));
  await expect(readLockFile(root)).rejects.toMatchObject({ code: 'invalid_config' });
});

test('grants of a lock file stay inside the project and with their package', () => {
  assertProjectGrants(['read:data', 'net:api.example.com', 'env:LANG'], root);
  for (const it of [
    'read:/etc',
    'write:../x',
    'read:data/../../x',
    'other=read:data',
    'toolwharf=net:localhost',
  ])
    expect(() => assertProjectGrants([it], root), it).toThrow('the lock file grants');
});
