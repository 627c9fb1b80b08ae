import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
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
import { HostError } from '../src/model/host-error.js';
import { openVault, type SealedRow, type ValueInput } from '../src/secrets/vault.js';
import { type Database, openDatabase } from '../src/store/database.js';
import { SecretRows } from '../src/store/secrets.js';

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

test('a value comes back, counted and with its receivers in one spelling', async () => {
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

test('nothing of a value is on the disk, and the same value never looks the same', async () => {
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

test('any text that a variable can carry is kept exactly', async () => {
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

test('fifty who set at once are counted one by one', async () => {
  const open = vault();
  await open.set(entry);
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => open.set({ ...entry, value: `value ${index}` })),
  );
  expect((await open.value('weather', 'KEY'))?.version).toBe(51);
});

describe('what was changed or moved does not open', () => {
  const changes: readonly (readonly [string, (row: SealedRow, other: SealedRow) => Partial<SealedRow>])[] = [
    ['another package', () => ({ package: 'evil' })],
    ['another slot', () => ({ slot: 'OTHER' })],
    ['wider receivers', () => ({ audience: '{"kind":"any"}' })],
    ['another spelling', (row) => ({ audience: ` ${row.audience}` })],
    ['no receivers', () => ({ audience: 'null' })],
    ['another version', () => ({ version: 2 })],
    ['a flipped bit', (row) => ({ sealed: flipped(row.sealed, 0) })],
    ['a flipped tag', (row) => ({ sealed: flipped(row.sealed, row.sealed.length - 1) })],
    ['a flipped nonce', (row) => ({ nonce: flipped(row.nonce, 0) })],
    ['a short tag', (row) => ({ sealed: row.sealed.slice(0, -1) })],
    ['nothing', () => ({ sealed: new Uint8Array(0) })],
    ['a tag alone', (row) => ({ sealed: row.sealed.slice(-16) })],
    ['a short nonce', (row) => ({ nonce: row.nonce.slice(0, 8) })],
    ['the text of another', (_row, other) => ({ sealed: other.sealed, nonce: other.nonce })],
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
    // The control: as it was, it opens.
    await change({ ...row }, different.slot ?? 'KEY');
    expect((await open.value('weather', 'KEY'))?.value).toBe(entry.value);
  });
});

test('an older value does not open in the place of a newer one', async () => {
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

describe('values that cannot be kept', () => {
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
  ])('nobody is called %j', async (host) => {
    const audience = { kind: 'hosts', hosts: [host] } as const;
    await expect(vault().set({ ...entry, audience })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('somebody must be named', async () => {
    const audience = { kind: 'hosts', hosts: [] } as const;
    await expect(vault().set({ ...entry, audience })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('the key file', () => {
  const unusable = { code: 'state_unusable' };

  test.each([0o644, 0o640, 0o660, 0o700, 0o604])('mode %o is refused', async (mode) => {
    await vault().set(entry);
    chmodSync(key(), mode);
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject(unusable);
    await expect(vault().set(entry)).rejects.toMatchObject(unusable);
    chmodSync(key(), 0o600);
    expect((await vault().value('weather', 'KEY'))?.value).toBe(entry.value);
  });

  test.each([0, 31, 33])('a size of %i is refused', async (size) => {
    writeFileSync(key(), Buffer.alloc(size), { mode: 0o600 });
    await expect(vault().set(entry)).rejects.toMatchObject(unusable);
  });

  test('a link is refused', async () => {
    await vault().set(entry);
    renameSync(key(), join(state, 'elsewhere'));
    symlinkSync('elsewhere', key());
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject(unusable);
  });

  test('a folder, and a pipe that nobody writes to, are refused at once', async () => {
    const made = spawnSync('mkfifo', ['-m', '600', key()]);
    expect(made.status).toBe(0);
    await expect(vault().set(entry)).rejects.toMatchObject(unusable);
  });

  test.runIf(process.getuid?.() === 0)('of another owner is refused (needs root to try)', async () => {
    await vault().set(entry);
    chownSync(key(), 65533, 65533);
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject(unusable);
  });

  test('that is gone is not replaced while values wait for it', async () => {
    await vault().set(entry);
    renameSync(key(), `${key()}.away`);
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject(unusable);
    await expect(vault().set({ ...entry, slot: 'OTHER' })).rejects.toMatchObject(unusable);
    expect(existsSync(key())).toBe(false);
    // Forgetting needs no key, and then a new one is made.
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
  test('is the key, and no other is', async () => {
    const open = vault('one two three');
    expect(open.keeper()).toBeUndefined();
    await open.set(entry);
    expect(readdirSync(state).filter((it) => it.startsWith('vault.'))).toEqual(['vault.salt']);
    expect((await vault('one two three').value('weather', 'KEY'))?.value).toBe(entry.value);
    const wrong = await vault('one two four')
      .value('weather', 'KEY')
      .catch((it) => it);
    expect(wrong.code).toBe('state_unusable');
    expect(wrong.message).toContain('not the passphrase');
    expect(wrong.message).not.toContain('one two');
    await expect(vault('one two four').set(entry)).rejects.toMatchObject({ code: 'state_unusable' });
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject({ code: 'state_unusable' });
    await expect(vault('').value('weather', 'KEY')).rejects.toMatchObject({ code: 'state_unusable' });
    // Listing needs no key.
    expect(await vault('one two four').list()).toHaveLength(1);
  });

  test('and a key file exclude each other', async () => {
    await vault().set(entry);
    expect(vault().keeper()).toBe('file');
    await expect(vault('one two three').value('weather', 'KEY')).rejects.toMatchObject({
      code: 'state_unusable',
    });
    await expect(vault('one two three').set(entry)).rejects.toMatchObject({ code: 'state_unusable' });
    expect(existsSync(join(state, 'vault.salt'))).toBe(false);
  });
});

describe('all values, to be known again', () => {
  test('of every package, counted after each change', async () => {
    const open = vault();
    expect(await open.all()).toEqual([]);
    // Asking for none makes no key.
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

  test('one that was changed is left out, as it reaches no tool either', async () => {
    const open = vault();
    await open.set(entry);
    await open.set({ ...entry, slot: 'OTHER', value: 'sound' });
    await change({ package: 'mail' });
    expect((await open.all()).map((it) => it.slot)).toEqual(['OTHER']);
    await expect(open.value('mail', 'KEY')).rejects.toMatchObject({ code: 'integrity' });
  });

  test('without the key there are none, and no value comes out', async () => {
    await vault('right words').set(entry);
    const wrong = vault('wrong words');
    expect(await wrong.all()).toEqual([]);
    await expect(wrong.value('weather', 'KEY')).rejects.toBeInstanceOf(HostError);
  });
});
