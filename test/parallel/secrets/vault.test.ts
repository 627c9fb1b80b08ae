import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HostError } from '../../../src/model/host-error.js';
import { openVault, type SealedRow, type ValueInput } from '../../../src/secrets/vault.js';
import { SecretRows } from '../../../src/store/secrets.js';
import { type SqliteDatabase as Database, openDatabase } from '../../../src/store/sqlite/sqlite-database.js';

let state: string;
let database: Database;
let rows: SecretRows;
let clock = 1000;
const now = () => clock++;
const entry: ValueInput = {
  package: 'weather',
  slot: 'KEY',
  value: 'correct horse battery staple',
  audience: { kind: 'hosts', hosts: ['API.Example.com.', 'api.example.com', 'bücher.example'] },
};

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'toolwharf-vault-'));
  database = openDatabase(state);
  rows = new SecretRows(database);
});
afterEach(async () => {
  await database.destroy();
  rmSync(state, { recursive: true, force: true });
});

const vault = (passphrase?: string) => openVault({ state, rows, now, passphrase });
const key = () => join(state, 'vault.key');
const change = (row: Partial<SealedRow>, slot = 'KEY') =>
  database.updateTable('secret').set(row).where('slot', '=', slot).execute();

test('a value is returned with its version and a normalized audience', async () => {
  const set = await vault().set(entry);
  const audience = { kind: 'hosts', hosts: ['api.example.com', 'xn--bcher-kva.example'] };
  expect(set).toEqual({ package: 'weather', slot: 'KEY', audience, setAt: expect.any(Number) });
  expect(await vault().value('weather', 'KEY')).toEqual({ value: entry.value, audience, version: 1 });
  await vault().set({ ...entry, value: 'another', audience: { kind: 'any' } });
  expect(await vault().value('weather', 'KEY')).toEqual({
    value: 'another',
    audience: { kind: 'any' },
    version: 2,
  });
  expect((await vault().list()).map((it) => it.slot)).toEqual(['KEY']);
  expect(await vault().unset('weather', 'KEY')).toBe(true);
  expect(await vault().unset('weather', 'KEY')).toBe(false);
  expect(await vault().value('weather', 'KEY')).toBeUndefined();
});

test('no part of a value is on the disk, and the same value is sealed differently each time', async () => {
  const open = vault();
  await open.set(entry);
  await open.set({ ...entry, slot: 'TWIN' });
  const [one, two] = (await rows.list()) as [SealedRow, SealedRow];
  expect(Buffer.from(one.sealed).equals(Buffer.from(two.sealed))).toBe(false);
  expect(Buffer.from(one.nonce).equals(Buffer.from(two.nonce))).toBe(false);
  for (const name of readdirSync(state)) {
    const bytes = readFileSync(join(state, name));
    for (const form of [entry.value, Buffer.from(entry.value).toString('base64'), 'horse'])
      expect(bytes.includes(form)).toBe(false);
  }
  expect(statSync(key()).mode & 0o777).toBe(0o600);
  expect(readdirSync(state).filter((it) => it.startsWith('vault.'))).toEqual(['vault.key']);
});

test('any text that an environment variable can contain is kept exactly', async () => {
  const open = vault();
  const value = fc.string({ unit: 'binary', minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      fc.pre(!text.includes('\0') && Buffer.from(text).toString() === text);
      await open.set({ ...entry, value: text });
      expect((await open.value('weather', 'KEY'))?.value).toBe(text);
    }),
    { numRuns: 50 },
  );
});

test('fifty concurrent writes get fifty different versions', async () => {
  const open = vault();
  await open.set(entry);
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => open.set({ ...entry, value: `value ${index}` })),
  );
  expect((await open.value('weather', 'KEY'))?.version).toBe(51);
});

describe('a changed or moved value does not open', () => {
  const changes: readonly (readonly [string, (row: SealedRow, other: SealedRow) => Partial<SealedRow>])[] = [
    ['another package', () => ({ package: 'evil' })],
    ['another slot', () => ({ slot: 'OTHER' })],
    ['a wider audience', () => ({ audience: '{"kind":"any"}' })],
    ['another spelling of the audience', (row) => ({ audience: ` ${row.audience}` })],
    ['no audience', () => ({ audience: 'null' })],
    ['another version', () => ({ version: 2 })],
    ['a flipped bit', (row) => ({ sealed: flipped(row.sealed, 0) })],
    ['a flipped tag', (row) => ({ sealed: flipped(row.sealed, row.sealed.length - 1) })],
    ['a flipped nonce', (row) => ({ nonce: flipped(row.nonce, 0) })],
    ['a short tag', (row) => ({ sealed: row.sealed.slice(0, -1) })],
    ['an empty value', () => ({ sealed: new Uint8Array(0) })],
    ['only a tag', (row) => ({ sealed: row.sealed.slice(-16) })],
    ['a short nonce', (row) => ({ nonce: row.nonce.slice(0, 8) })],
    ['the bytes of another value', (_row, other) => ({ sealed: other.sealed, nonce: other.nonce })],
  ];
  test.each(changes)('%s', async (_name, make) => {
    const open = vault();
    await open.set(entry);
    await open.set({ ...entry, slot: 'SECOND', value: 'second' });
    const [row, other] = (await rows.list()) as [SealedRow, SealedRow];
    const different = make(row, other);
    await change(different);
    const failed = await open
      .value(different.package ?? 'weather', different.slot ?? 'KEY')
      .catch((it) => it);
    expect(failed).toBeInstanceOf(HostError);
    expect(failed.code).toBe('integrity');
    expect(failed.message + failed.hint).not.toContain('horse');
    expect((await open.value('weather', 'SECOND'))?.value).toBe('second');
    // Control: the original row opens.
    await change({ ...row }, different.slot ?? 'KEY');
    expect((await open.value('weather', 'KEY'))?.value).toBe(entry.value);
  });
});

test('an older value does not open in place of a newer one', async () => {
  const open = vault();
  await open.set(entry);
  const [old] = (await rows.list()) as [SealedRow];
  await open.set({ ...entry, value: 'newer' });
  await change({ sealed: old.sealed, nonce: old.nonce });
  await expect(open.value('weather', 'KEY')).rejects.toMatchObject({ code: 'integrity' });
});

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}

describe('invalid values and audiences are rejected', () => {
  test.each(['', 'a\0b', 'x'.repeat(65 * 1024), 'lone \ud800'])('%j', async (value) => {
    const failed = await vault()
      .set({ ...entry, value })
      .catch((it) => it);
    expect(failed.code).toBe('invalid_input');
    if (value !== '') expect(failed.message).not.toContain(value);
    expect(existsSync(key())).toBe(false);
  });

  test.each([
    '',
    'https://a.example',
    'a.example:80',
    'a/b',
    '*.a.example',
    'u@a.example',
    'a b',
    '.',
    '..',
    'a..b',
  ])('the host name %j', async (host) => {
    const audience = { kind: 'hosts', hosts: [host] } as const;
    await expect(vault().set({ ...entry, audience })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('an empty list of hosts', async () => {
    const audience = { kind: 'hosts', hosts: [] } as const;
    await expect(vault().set({ ...entry, audience })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('the key file', () => {
  const unusable = { code: 'state_unusable' };

  test.each([0o644, 0o640, 0o660, 0o700, 0o604])('with mode %o is rejected', async (mode) => {
    await vault().set(entry);
    chmodSync(key(), mode);
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject(unusable);
    await expect(vault().set(entry)).rejects.toMatchObject(unusable);
    chmodSync(key(), 0o600);
    expect((await vault().value('weather', 'KEY'))?.value).toBe(entry.value);
  });

  test.each([0, 31, 33])('with a size of %i bytes is rejected', async (size) => {
    writeFileSync(key(), Buffer.alloc(size), { mode: 0o600 });
    await expect(vault().set(entry)).rejects.toMatchObject(unusable);
  });

  test('that is a symbolic link is rejected', async () => {
    await vault().set(entry);
    renameSync(key(), join(state, 'elsewhere'));
    symlinkSync('elsewhere', key());
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject(unusable);
  });

  test('that is a pipe without a writer is rejected at once', async () => {
    const made = spawnSync('mkfifo', ['-m', '600', key()]);
    expect(made.status).toBe(0);
    await expect(vault().set(entry)).rejects.toMatchObject(unusable);
  });

  test('that is missing is not replaced while there are sealed values', async () => {
    await vault().set(entry);
    renameSync(key(), `${key()}.away`);
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject(unusable);
    await expect(vault().set({ ...entry, slot: 'OTHER' })).rejects.toMatchObject(unusable);
    expect(existsSync(key())).toBe(false);
    // Removing values needs no key. After that, a new key is created.
    expect(await vault().unset('weather', 'KEY')).toBe(true);
    await vault().set(entry);
    expect((await vault().value('weather', 'KEY'))?.value).toBe(entry.value);
  });

  test('of another state directory does not open', async () => {
    await vault().set(entry);
    writeFileSync(key(), Buffer.alloc(32, 7), { mode: 0o600 });
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject({ code: 'integrity' });
  });
});

describe('a passphrase', () => {
  test('opens values, and no other passphrase does', async () => {
    const open = vault('one two three');
    expect(open.keyStorage()).toBeUndefined();
    await open.set(entry);
    expect(readdirSync(state).filter((it) => it.startsWith('vault.'))).toEqual(['vault.salt']);
    expect((await vault('one two three').value('weather', 'KEY'))?.value).toBe(entry.value);
    const wrong = await vault('one two four')
      .value('weather', 'KEY')
      .catch((it) => it);
    expect(wrong.code).toBe('state_unusable');
    expect(wrong.message).toContain('wrong passphrase');
    expect(wrong.message).not.toContain('one two');
    await expect(vault('one two four').set(entry)).rejects.toMatchObject({ code: 'state_unusable' });
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject({ code: 'state_unusable' });
    await expect(vault('').value('weather', 'KEY')).rejects.toMatchObject({ code: 'state_unusable' });
    // Listing needs no key.
    expect(await vault('one two four').list()).toHaveLength(1);
  });

  test('and a key file exclude each other', async () => {
    await vault().set(entry);
    expect(vault().keyStorage()).toBe('file');
    await expect(vault('one two three').value('weather', 'KEY')).rejects.toMatchObject({
      code: 'state_unusable',
    });
    await expect(vault('one two three').set(entry)).rejects.toMatchObject({ code: 'state_unusable' });
    expect(existsSync(join(state, 'vault.salt'))).toBe(false);
  });
});

describe('the list of all values (for redaction)', () => {
  test('contains the values of every package, and its generation grows with each change', async () => {
    const open = vault();
    expect(await open.all()).toEqual([]);
    // Reading an empty vault creates no key.
    expect(existsSync(key())).toBe(false);
    const before = open.generation();
    await open.set(entry);
    await open.set({ ...entry, package: 'mail', slot: 'TOKEN', value: 'another value' });
    expect(open.generation()).toBeGreaterThan(before);
    expect(await open.all()).toEqual([
      { package: 'mail', slot: 'TOKEN', value: 'another value' },
      { package: 'weather', slot: 'KEY', value: entry.value },
    ]);
    const set = open.generation();
    await open.unset('mail', 'TOKEN');
    expect(open.generation()).toBeGreaterThan(set);
    expect((await open.all()).map((it) => it.slot)).toEqual(['KEY']);
  });

  test('omits a changed value, which reaches no tool either', async () => {
    const open = vault();
    await open.set(entry);
    await open.set({ ...entry, slot: 'OTHER', value: 'sound' });
    await change({ package: 'mail' });
    expect((await open.all()).map((it) => it.slot)).toEqual(['OTHER']);
    await expect(open.value('mail', 'KEY')).rejects.toMatchObject({ code: 'integrity' });
  });

  test('is empty without the key, and no value can be read', async () => {
    await vault('right words').set(entry);
    const wrong = vault('wrong words');
    expect(await wrong.all()).toEqual([]);
    await expect(wrong.value('weather', 'KEY')).rejects.toBeInstanceOf(HostError);
  });
});
