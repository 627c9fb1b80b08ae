import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AgreementRows, LinkRows } from './agreements.js';
import { DisabledPackages } from './disabled-packages.js';
import { type SqliteDatabase as Database, openDatabase } from './sqlite/sqlite-database.js';

let folder: string;
let database: Database;
let clock = 1000;
const now = () => clock++;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-agreements-'));
  database = openDatabase(folder);
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
});

test('a folder is new exactly once, even for concurrent callers', async () => {
  const links = new LinkRows(database, now);
  expect(await links.isKnown('/a')).toBe(false);
  const firsts = await Promise.all(Array.from({ length: 20 }, () => links.add('/a')));
  expect(firsts.filter(Boolean)).toHaveLength(1);
  expect(await links.isKnown('/a')).toBe(true);
  expect(await links.isKnown('/a/')).toBe(false);
});

test('the newest agreement counts, and survives a restart', async () => {
  const agreements = new AgreementRows(database, now);
  expect(await agreements.get('/a/tool.py')).toBeUndefined();
  const agreement = {
    manifest: '/a/tool.py',
    package: 'tool',
    digest: 'd1',
    request: '{}',
    text: '[]',
    paths: ['/a/tool.py'],
    acceptedBy: 'me',
  };
  await agreements.put(agreement);
  await agreements.put({
    ...agreement,
    digest: 'd2',
    package: 'other',
    request: '{"a":1}',
    acceptedBy: 'you',
  });
  await agreements.put({ ...agreement, manifest: '/b/tool.py' });
  await database.destroy();
  database = openDatabase(folder);
  expect(await new AgreementRows(database, now).get('/a/tool.py')).toEqual({
    manifest: '/a/tool.py',
    package: 'other',
    digest: 'd2',
    request: '{"a":1}',
    text: '[]',
    paths: ['/a/tool.py'],
    acceptedBy: 'you',
    acceptedAt: clock - 2,
  });
});

test('set reports whether it changed anything', async () => {
  const off = new DisabledPackages(database, now);
  expect(await off.set('b', false, 'me')).toBe(true);
  expect(await off.set('b', false, 'me')).toBe(false);
  expect(await off.set('a', false, 'me')).toBe(true);
  expect(await off.list()).toEqual(['a', 'b']);
  expect(await off.set('b', true, 'me')).toBe(true);
  expect(await off.set('b', true, 'me')).toBe(false);
  expect(await off.list()).toEqual(['a']);
});
