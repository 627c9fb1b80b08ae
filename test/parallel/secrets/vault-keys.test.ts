// Storage of the vault key: a file, a passphrase, or the keychain of the desktop. The keychain in these tests is
// real: GNOME Keyring on a separate session bus.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runSystemProgram } from '../../../src/sandbox/system-program.js';
import { type Keychain, systemKeychain } from '../../../src/secrets/keychain.js';
import { openVault, type Vault } from '../../../src/secrets/vault.js';
import { SecretRows } from '../../../src/store/secrets.js';
import { type SqliteDatabase as Database, openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { main, toolwharf } from '../../support/toolwharf.js';

const programs = ['/usr/bin/secret-tool', '/usr/bin/gnome-keyring-daemon', '/usr/bin/dbus-run-session'];
const noKeyring = !programs.every((it) => existsSync(it));
const planted = ['key', 'of', 'the', 'desk', 'Zx81'].join('-');

let state: string;
let home: string;
let bus: ChildProcess | undefined;
let address = '';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'toolwharf-keyring-'));
  if (noKeyring) return;
  // Unlocking an empty keyring creates one with this password.
  const script =
    'printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; echo "bus=$DBUS_SESSION_BUS_ADDRESS"; cat >/dev/null';
  bus = spawn('/usr/bin/dbus-run-session', ['--', '/bin/sh', '-c', script], {
    env: { PATH: '/usr/bin:/bin', HOME: home, XDG_RUNTIME_DIR: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  address = await new Promise<string>((resolve, reject) => {
    let printed = '';
    bus?.stdout?.on('data', (chunk) => {
      printed += chunk;
      const found = /^bus=(.+)$/m.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
    bus?.once('close', () => reject(new Error('there is no session bus')));
  });
});

afterAll(async () => {
  if (bus !== undefined) {
    const ended = new Promise((resolve) => bus?.once('close', resolve));
    bus.stdin?.end();
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
});

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'toolwharf-keys-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const keyring = () => ({
  DBUS_SESSION_BUS_ADDRESS: address,
  HOME: home,
  XDG_RUNTIME_DIR: home,
  XDG_CONFIG_HOME: home,
});
const run = (args: readonly string[], env: Record<string, string> = {}, stdin = '') =>
  toolwharf([...args, '--state', state], { env: { ...keyring(), ...env }, stdin, cwd: home });
const files = () =>
  readdirSync(state)
    .filter((it) => it.startsWith('vault.'))
    .sort();

describe.skipIf(noKeyring)('the keychain of a desktop (needs GNOME Keyring and secret-tool)', () => {
  test('stores the key if configured, and a value opens only with it', async () => {
    writeFileSync(join(home, 'vault.toml'), '[vault]\nkey = "keychain"\n');
    const set = await run(['secret', 'set', 'desk', 'KEY', '--config', 'vault.toml'], {}, planted);
    expect(set).toMatchObject({ code: 0 });
    expect(files()).toEqual(['vault.key-storage']);
    const note = JSON.parse(readFileSync(join(state, 'vault.key-storage'), 'utf8'));
    expect(note.kind).toBe('keychain');
    const { code, stdout } = await runIn([
      '/usr/bin/secret-tool',
      'lookup',
      'service',
      'toolwharf-vault',
      'vault',
      note.id,
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(join(state, 'vault.key-storage'), 'utf8')).not.toContain(stdout);
    expect((await run(['doctor', '--json'])).stdout).toContain('a key in the Secret Service keychain');

    // Without the bus nothing opens. There is no fallback, and no new key is created.
    const alone = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/no-such-bus` };
    const failed = await run(['secret', 'set', 'desk', 'OTHER'], alone, planted);
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toMatch(/keychain cannot be used: .*\n {2}.*libsecret-tools/);
    expect(files()).toEqual(['vault.key-storage']);
    const look = await run(['doctor', '--json'], alone);
    expect(JSON.parse(look.stdout).checks).toContainEqual(
      expect.objectContaining({ id: 'secrets', status: 'fail' }),
    );
    expect((await run(['secret', 'set', 'desk', 'OTHER'], {}, planted)).code).toBe(0);
  }, 60_000);

  test('a key moves to another storage and back; the values stay, and the old storage is empty', async () => {
    const opened = async (passphrase?: string) => {
      const database = openDatabase(state);
      const value = await vaultIn(database, passphrase)
        .value('desk', 'KEY')
        .finally(() => database.destroy());
      return value?.value;
    };
    expect((await run(['secret', 'set', 'desk', 'KEY'], {}, planted)).code).toBe(0);
    expect(files()).toEqual(['vault.key']);
    const wrong = await run(['secret', 'set', 'desk', 'KEY', '--config', 'vault.toml'], {}, planted);
    expect(wrong.stderr).toContain('toolwharf secret rekey --to keychain');
    expect(files()).toEqual(['vault.key']);

    expect((await run(['secret', 'rekey', '--to', 'keychain'])).stdout).toContain(
      'is now stored in the keychain',
    );
    expect(files()).toEqual(['vault.key-storage']);
    expect((await run(['secret', 'set', 'desk', 'SECOND'], {}, planted)).code).toBe(0);
    const { id } = JSON.parse(readFileSync(join(state, 'vault.key-storage'), 'utf8'));

    expect((await run(['secret', 'rekey', '--to', 'passphrase'], {}, 'one two three\n')).code).toBe(0);
    expect(files()).toEqual(['vault.key-storage', 'vault.salt']);
    expect(await opened('one two three')).toBe(planted);
    await expect(opened('one two four')).rejects.toMatchObject({ code: 'state_unusable' });
    await expect(opened()).rejects.toMatchObject({ code: 'state_unusable' });
    const lookup = ['/usr/bin/secret-tool', 'lookup', 'service', 'toolwharf-vault', 'vault', id];
    expect(await runIn(lookup)).toMatchObject({ code: 1, stdout: '' });

    const phrase = { TOOLWHARF_PASSPHRASE: 'one two three' };
    expect((await run(['secret', 'rekey', '--to', 'file'], phrase)).code).toBe(0);
    expect(files()).toEqual(['vault.key', 'vault.key-storage']);
    expect(await opened()).toBe(planted);
    expect(await run(['secret', 'rekey', '--to', 'file'])).toMatchObject({ code: 2 });
    expect((await run(['audit', 'tail', '50', '--json'])).stdout).toContain('secret rekey');
  }, 60_000);

  test('after a kill at any moment, the vault opens with the old storage or the new one', async () => {
    expect((await run(['secret', 'set', 'desk', 'KEY'], {}, planted)).code).toBe(0);
    const started = performance.now();
    expect((await run(['secret', 'rekey', '--to', 'keychain'])).code).toBe(0);
    const whole = performance.now() - started;
    let to = 'file';
    for (let round = 0; round < 8; round++) {
      const child = spawn(process.execPath, [main, 'secret', 'rekey', '--to', to, '--state', state], {
        env: { ...process.env, ...keyring() },
        stdio: 'ignore',
      });
      const timer = setTimeout(() => child.kill('SIGKILL'), whole * (0.3 + 0.08 * round));
      await new Promise((resolve) => child.once('close', resolve));
      clearTimeout(timer);
      // Only the right key can seal another value next to the first.
      expect(await run(['secret', 'set', 'desk', 'KEY'], {}, planted)).toMatchObject({ code: 0 });
      const { kind } = existsSync(join(state, 'vault.key-storage'))
        ? JSON.parse(readFileSync(join(state, 'vault.key-storage'), 'utf8'))
        : { kind: 'file' };
      expect(files().filter((it) => !/\.toolwharf-[0-9a-f]{16}$/.test(it))).toEqual(
        kind === 'file' ? ['vault.key', 'vault.key-storage'] : ['vault.key-storage'],
      );
      to = kind === 'file' ? 'keychain' : 'file';
    }
  }, 90_000);
});

function runIn(command: readonly string[]) {
  return runSystemProgram(['/usr/bin/env', `DBUS_SESSION_BUS_ADDRESS=${address}`, ...command], '');
}

function vaultIn(database: Database, passphrase?: string, keychain: Keychain | null = null): Vault {
  return openVault({ state, rows: new SecretRows(database), now: () => 1, passphrase, keychain });
}

test('an unsupported keychain or a missing keychain program is reported, and nothing is created', async () => {
  const database = openDatabase(state);
  const missing = systemKeychain('linux', (command) =>
    runSystemProgram(['/nowhere/secret-tool', ...command.slice(1)], ''),
  );
  for (const [keychain, message] of [
    [systemKeychain('win32', runSystemProgram), 'no supported keychain on this system'],
    [missing, '/nowhere/secret-tool is not installed'],
  ] as const) {
    const entry = {
      package: 'desk',
      slot: 'KEY',
      value: planted,
      audience: { kind: 'any' },
      keyStorage: 'keychain',
    } as const;
    await expect(vaultIn(database, undefined, keychain).set(entry)).rejects.toMatchObject({
      code: 'state_unusable',
      message: expect.stringContaining(message),
    });
    expect(files()).toEqual([]);
  }
  await database.destroy();
});

test('on macOS the value is passed on standard input and is not an argument', async () => {
  const seen: { command: readonly string[]; stdin: string }[] = [];
  const keychain = systemKeychain('darwin', async (command, stdin) => {
    seen.push({ command, stdin });
    return { code: 0, stdout: '', stderr: '' };
  });
  await keychain?.write('ab12', planted);
  expect(seen[0]?.command.join(' ')).not.toContain(planted);
  expect(seen[0]?.stdin).toContain(planted);
});

describe('an interrupted rekey', () => {
  const entry = { package: 'desk', slot: 'KEY', value: planted, audience: { kind: 'any' } } as const;

  test('before the storage note was changed: the old storage is used', async () => {
    const database = openDatabase(state);
    const broken: Keychain = {
      name: 'a keychain',
      read: async () => undefined,
      write: async () => {
        throw new Error('killed');
      },
      remove: async () => {},
    };
    await vaultIn(database).set(entry);
    await expect(vaultIn(database, undefined, broken).rekey('keychain', undefined)).rejects.toThrow('killed');
    expect(vaultIn(database).keyStorage()).toBe('file');
    expect((await vaultIn(database).value('desk', 'KEY'))?.value).toBe(planted);
    // An incomplete move to a passphrase: its file exists, but is not used.
    writeFileSync(join(state, 'vault.salt'), Buffer.alloc(108), { mode: 0o600 });
    expect((await vaultIn(database).value('desk', 'KEY'))?.value).toBe(planted);
    expect(files()).toEqual(['vault.key', 'vault.key-storage']);
    await database.destroy();
  });

  test('after the storage note was changed: the new storage is used, and the old one is removed', async () => {
    const database = openDatabase(state);
    await vaultIn(database).set(entry);
    const old = readFileSync(join(state, 'vault.key'));
    await vaultIn(database).rekey('passphrase', 'one two three');
    writeFileSync(join(state, 'vault.key'), old, { mode: 0o600 });
    expect((await vaultIn(database, 'one two three').value('desk', 'KEY'))?.value).toBe(planted);
    expect(files()).toEqual(['vault.key-storage', 'vault.salt']);
    await database.destroy();
  });

  test('never uses a key that does not belong to the vault', async () => {
    const database = openDatabase(state);
    await vaultIn(database).set(entry);
    await vaultIn(database).rekey('passphrase', 'one two three');
    await vaultIn(database, 'one two three').rekey('file', undefined);
    writeFileSync(join(state, 'vault.key'), Buffer.alloc(32, 7), { mode: 0o600 });
    await expect(vaultIn(database).set(entry)).rejects.toMatchObject({ code: 'state_unusable' });
    await database.destroy();
  });

  test('is not possible before the first value: there is nothing to move', async () => {
    const database = openDatabase(state);
    await expect(vaultIn(database).rekey('file', undefined)).rejects.toMatchObject({ code: 'not_found' });
    await database.destroy();
  });
});
