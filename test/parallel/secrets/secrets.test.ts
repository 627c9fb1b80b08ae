// Credentials go from the command line to the tool and nowhere else.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../../src/store/sqlite/sqlite.js';
import { atTerminal, knownEffectsOptions, temporaryFolder, toolwharf } from '../../support/toolwharf.js';

const value = 'open sesame "4711" / ü';

const manifest = JSON.stringify({
  id: 'vault-door',
  name: 'Vault door',
  description: 'Shows what it was given.',
  version: '1.0.0',
  credentials: [{ name: 'door_key', label: 'Door key', description: 'Opens the door.', required: true }],
  functions: [
    {
      name: 'show',
      description: 'Show the credentials.',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    },
  ],
});
const code = `export const handlers = {
  show(args, credentials) {
    const key = credentials.door_key;
    console.error('log ' + key);
    return {
      length: key.length,
      raw: 'it is ' + key,
      [key]: encodeURIComponent(key),
      base64: Buffer.from('user:' + key).toString('base64'),
      hex: Buffer.from(key).toString('hex'),
    };
  },
};
`;

let folder: ReturnType<typeof temporaryFolder>;
let state: string;

beforeEach(() => {
  folder = temporaryFolder({ 'vault-door/manifest.json': manifest, 'vault-door/index.mjs': code });
  state = join(folder.path, 'state');
});
afterEach(() => folder.remove());

const door = () => join(folder.path, 'vault-door');
const secret = (args: readonly string[], stdin = '') =>
  toolwharf(['secret', ...args, '--state', state], { stdin });
const set = (stdin = `${value}\n`) =>
  secret(['set', 'vault-door', 'door_key', '--host', 'Keys.Example.org.'], stdin);
const listed = async () => {
  const { stdout } = await toolwharf(['list', door(), '--json', '--state', state]);
  return JSON.parse(stdout).packages[0] as { state: string; reasons: string[] };
};
const show = () =>
  toolwharf([
    'call',
    'vault-door/show',
    '{}',
    '--dir',
    door(),
    '--json',
    '--state',
    state,
    '--root',
    folder.path,
    ...knownEffectsOptions(folder.path),
  ]);

test('a value makes a package ready, reaches the tool, and appears in no output', async () => {
  await toolwharf(['review', door(), '--yes', '--state', state]);
  const before = await listed();
  expect(before.state).toBe('needs-setup');
  expect(before.reasons.join('\n')).toContain(
    'vault-door needs door_key (Door key). Set it: toolwharf secret set vault-door door_key',
  );
  const unset = await show();
  expect(unset.code).toBe(4);

  const done = await set();
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain('may be sent to keys.example.org');
  expect((await listed()).state).toBe('ready');

  const shown = await show();
  expect(shown.stdout).toContain('"status":"ok"');
  const { result } = JSON.parse(shown.stdout);
  // Only one trailing newline was removed.
  expect(result.length).toBe(value.length);
  expect(result.raw).toBe('it is [redacted:door_key]');
  expect(result['[redacted:door_key]']).toBe('[redacted:door_key]');

  const list = await secret(['list', '--json']);
  expect(JSON.parse(list.stdout)).toEqual({
    schema: 'toolwharf/secrets@1',
    missing: [],
    secrets: [
      {
        package: 'vault-door',
        slot: 'door_key',
        audience: { kind: 'hosts', hosts: ['keys.example.org'] },
        setAt: expect.any(String),
      },
    ],
  });
  const audit = await toolwharf(['audit', 'tail', '1000', '--json', '--state', state]);
  const info = await toolwharf(['info', 'vault-door', '--dir', door(), '--state', state]);
  const printed = [unset, done, shown, list, audit, info].map((it) => it.stdout + it.stderr).join('\n');
  for (const form of forms()) {
    expect(printed).not.toContain(form);
    for (const file of filesBelow(state)) expect(readFileSync(file).includes(form), file).toBe(false);
  }

  expect(await secret(['unset', 'vault-door', 'door_key'])).toMatchObject({ code: 0 });
  expect((await listed()).state).toBe('needs-setup');
  expect(await secret(['unset', 'vault-door', 'door_key'])).toMatchObject({ code: 2 });
}, 120_000);

function forms(): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    Buffer.from(`user:${value}`).toString('base64').slice(8, -4),
  ];
}

function filesBelow(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((it) => {
    const inner = join(path, it.name);
    return it.isDirectory() ? filesBelow(inner) : it.isFile() ? [inner] : [];
  });
}

test('a value does not open after its audience was changed in the database', async () => {
  await set();
  await listed();
  const database = openSqlite(join(state, 'toolwharf.db'));
  database.exec(`update secret set audience = '{"kind":"any"}'`);
  database.close();
  const shown = await show();
  expect(shown.code).toBe(6);
  expect(JSON.parse(shown.stdout).error).toMatchObject({ code: 'integrity' });
}, 60_000);

test('the key is private, and a key that others can read is rejected', async () => {
  await set();
  const key = join(state, 'vault.key');
  expect(statSync(key).mode & 0o777).toBe(0o600);
  chmodSync(key, 0o644);
  const rejected = await set();
  expect(rejected.code).toBe(1);
  expect(rejected.stderr).toContain(`chmod 600 ${key}`);
  chmodSync(key, 0o600);
  expect(await set()).toMatchObject({ code: 0 });
});

test('a passphrase can be used instead of a key file', async () => {
  const args = ['secret', 'set', 'vault-door', 'door_key', '--state', state];
  const withPhrase = (phrase: string) =>
    toolwharf(args, { stdin: value, env: { TOOLWHARF_PASSPHRASE: phrase } });
  expect(await withPhrase('first second third')).toMatchObject({ code: 0 });
  expect(readdirSync(state).filter((it) => it.startsWith('vault.'))).toEqual(['vault.salt']);
  const wrong = await withPhrase('first second fourth');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('wrong passphrase');
  expect(await set()).toMatchObject({ code: 1 });
}, 60_000);

describe('invalid commands are rejected without repeating the value', () => {
  test.each([
    ['a value as an argument', ['set', 'vault-door', 'door_key', 'hunter2-hunter2'], 'never an argument'],
    ['a value after the name', ['set', 'vault-door', 'door_key=hunter2-hunter2'], 'never an argument'],
    ['a value for a verb', ['hunter2-hunter2'], 'unknown subcommand of secret'],
    ['a missing name', ['set', 'vault-door'], 'PACKAGE NAME'],
    ['conflicting flags', ['set', 'vault-door', 'door_key', '--host', 'a.example', '--any-host'], 'not both'],
    [
      'a URL for a host',
      ['set', 'vault-door', 'door_key', '--host', 'https://a.example/'],
      'is not a host name',
    ],
    [
      'a host with a port',
      ['set', 'vault-door', 'door_key', '--host', 'a.example:443'],
      'is not a host name',
    ],
    ['a host for list', ['list', '--host', 'a.example'], 'work only with'],
  ])('%s', async (_name, args, message) => {
    const outcome = await secret(args, 'hunter3');
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr + outcome.stdout).not.toContain('hunter');
    expect(JSON.parse((await secret([...args, '--json'], 'hunter3')).stdout).error.code).toBe('usage');
  });

  test.each(['', '\n', '\r\n'])('an empty value is rejected: %j', async (stdin) => {
    expect(await set(stdin)).toMatchObject({ code: 2 });
  });
});

test('inner and further newlines are part of the value', async () => {
  expect(await set('line one\nline two\n\n')).toMatchObject({ code: 0 });
  const shown = await show();
  expect(JSON.parse(shown.stdout).result.length).toBe('line one\nline two\n'.length);
}, 60_000);

test('the content of a file is the value, such as a key file in JSON', async () => {
  const keyFile = JSON.stringify({ type: 'service_account', private_key: 'a\nb' }, null, 2);
  writeFileSync(join(folder.path, 'key.json'), `${keyFile}\n`);
  const args = ['secret', 'set', 'vault-door', 'door_key', '--state', state, '--file'];
  expect(await toolwharf([...args, 'key.json'], { cwd: folder.path })).toMatchObject({ code: 0 });
  expect(JSON.parse((await show()).stdout).result.length).toBe(keyFile.length);
  const missing = await toolwharf([...args, 'no.json'], { cwd: folder.path });
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no.json is not a readable file'),
  });
  expect(await secret(['list', '--file', 'key.json'])).toMatchObject({ code: 2 });
}, 60_000);

test('a value typed at a terminal is not shown', async () => {
  const args = ['secret', 'set', 'vault-door', 'door_key', '--state', state];
  const shown = await atTerminal(args, { after: '(not shown):', type: `${value}\n` });
  expect(shown).toContain('door_key for vault-door (not shown):');
  expect(shown).toContain('door_key of vault-door is set');
  expect(shown).not.toContain('sesame');
  expect(JSON.parse((await show()).stdout).result.length).toBe(value.length);
}, 60_000);
