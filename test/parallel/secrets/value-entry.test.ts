// Values are checked when they are set, the same for the command, HTTP and the library.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../../src/index.js';
import { atTerminal, main, temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import { agreeTo, talos, toolspace } from '../../support/workbench.js';

const scope = 'https://mail.example/auth/send';
const manifest = (prompt: string) =>
  toolspace({
    id: 'mail',
    endpoint: 'https://mail.example/v1',
    scopes: [
      { resource: 'mail.messages', actions: ['write'], rationale: 'It sends mail.', provider_scope: scope },
    ],
    env: [
      {
        name: 'MAIL_KEY',
        prompt,
        secret: true,
        validation_regex: 'mk_[a-z0-9]{8}',
        obtain_url: 'https://mail.example/keys',
      },
      { name: 'MAIL_SENDER', prompt: 'Who sends it.', secret: false, required: false },
    ],
    actions: [{ name: 'send', invocation: { kind: 'http', method: 'POST', path: '/send' } }],
  });
const folder = temporaryFolder({
  'tools/mail/toolspace.json': manifest('The key of your mail account.'),
  ...Object.fromEntries(
    Object.entries(
      talos({
        id: 'lamp',
        code: 'export async function on() { return {}; }',
        functions: ['on'],
        rest: {
          settings: [
            { name: 'color', label: 'Color', type: 'select', default: 'red', options: ['red', 'blue'] },
            { name: 'level', label: 'Level', type: 'number', default: '3' },
          ],
        },
      }),
    ).map(([name, text]) => [`tools/${name}`, text]),
  ),
});
const tools = join(folder.path, 'tools');
const state = join(folder.path, 'state');
const command = (args: readonly string[], options = {}) =>
  toolwharf([...args, '--state', state], { cwd: folder.path, ...options });
const bad = 'not-a-key-but-still-private';

beforeAll(async () => {
  const host = await createHost({ state });
  await agreeTo(host, tools);
  await host.close();
});
afterAll(() => folder.remove());

test('a script gets one clear error that does not repeat the value', async () => {
  const set = await command(['secret', 'set', 'mail', 'MAIL_KEY'], { stdin: bad });
  expect(set.code).toBe(2);
  expect(set.stderr).toContain('MAIL_KEY must match mk_[a-z0-9]{8}');
  expect(set.stderr).toContain('https://mail.example/keys');
  expect(set.stdout + set.stderr).not.toContain(bad);
  // A part that matches is not enough.
  const longer = await command(['secret', 'set', 'mail', 'MAIL_KEY'], { stdin: 'xmk_12345678x' });
  expect(longer.code).toBe(2);
  const list = await command(['secret', 'list', '--json']);
  expect(JSON.parse(list.stdout).secrets).toEqual([]);
});

test('the library rejects it too, and a value of the wrong type or outside the choices', async () => {
  const host = await createHost({ state });
  const set = (packageId: string, slot: string, value: string) =>
    host.secrets.set({ package: packageId, slot, value, audience: { kind: 'manifest' }, by: 'operator' });
  try {
    await expect(set('mail', 'MAIL_KEY', bad)).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(set('lamp', 'color', 'green')).rejects.toThrow('color must be one of red, blue');
    await expect(set('lamp', 'level', 'high')).rejects.toThrow('level must be a number');
    await set('lamp', 'color', 'blue');
  } finally {
    await host.close();
  }
});

test('HTTP rejects it too', async () => {
  const child = spawn(process.execPath, [main, 'serve', tools, '--json', '--port', '0', '--state', state], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const first = await new Promise<string>((resolve) => {
      let printed = '';
      child.stdout.on('data', (chunk) => {
        printed += chunk;
        if (printed.includes('\n')) resolve(printed.split('\n', 1)[0] as string);
      });
    });
    const { api, token } = JSON.parse(first) as { api: string; token: string };
    const put = async (value: string) => {
      const response = await fetch(`${api}/settings/mail/MAIL_KEY`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ value }),
      });
      return { status: response.status, text: await response.text() };
    };
    const rejected = await put(bad);
    expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining('must match')]);
    expect(rejected.text).not.toContain(bad);
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  }
});

describe('at a terminal', () => {
  const args = ['secret', 'set', 'mail', 'MAIL_KEY', '--state', state];
  const question = 'MAIL_KEY for mail (not shown): ';

  test('a person sees what is asked for and where to get it, and may correct a value', async () => {
    const shown = await atTerminal(args, {
      after: question,
      type: `${bad}\n`,
      later: [{ after: question, type: 'mk_abcd1234\n' }],
    });
    expect(shown).toContain('The key of your mail account.');
    expect(shown).toContain('Get it at https://mail.example/keys');
    expect(shown).toContain(`Needs at its provider: ${scope}`);
    expect(shown).toContain('MAIL_KEY must match');
    expect(shown).toContain('MAIL_KEY of mail is set');
    expect(shown).not.toContain(bad);
    await command(['secret', 'unset', 'mail', 'MAIL_KEY']);
  });

  test('after three values that are not valid, nothing is set', async () => {
    const again = { after: question, type: `${bad}\n` };
    const shown = await atTerminal([...args], { ...again, later: [again, again] });
    expect(shown.split(question)).toHaveLength(4);
    expect(shown).toContain('none of 3 values was valid');
    expect(JSON.parse((await command(['secret', 'list', '--json'])).stdout).missing).toHaveLength(1);
  });
});

test('a missing value is listed with its command and the rights that it needs', async () => {
  const list = await command(['secret', 'list']);
  expect(list.stdout).toMatch(/mail +MAIL_KEY +missing +toolwharf secret set mail MAIL_KEY/);
  expect(list.stdout).toContain(`needs at its provider: ${scope}`);
  expect(JSON.parse((await command(['secret', 'list', '--json'])).stdout).missing).toEqual([
    {
      package: 'mail',
      slot: 'MAIL_KEY',
      label: 'MAIL_KEY',
      secret: true,
      command: 'toolwharf secret set mail MAIL_KEY',
      providerScopes: [scope],
    },
  ]);
});

test('info shows the rights beside the credential', async () => {
  const info = await command(['info', join(tools, 'mail')]);
  expect(info.stdout).toMatch(
    /MAIL_KEY \(secret\): .*needs at its provider: https:\/\/mail\.example\/auth\/send/,
  );
});

test('review shows the rights beside the credential', async () => {
  const other = join(folder.path, 'other-state');
  const review = await toolwharf(['review', 'mail', '--dir', tools, '--state', other], { cwd: folder.path });
  expect(review.stdout.replaceAll(/\s+/g, ' ')).toContain(
    `the secret MAIL_KEY, which may go to mail.example, with the rights ${scope}`,
  );
});

describe('--from-env', () => {
  const set = (more: readonly string[], environment: Record<string, string>) =>
    command(['secret', 'set', 'mail', 'MAIL_KEY', ...more], { env: environment });

  test('takes the variable with the name of the value, or a named one', async () => {
    expect((await set(['--from-env'], { MAIL_KEY: 'mk_11111111' })).code).toBe(0);
    expect((await set(['--from-env', 'OTHER'], { OTHER: 'mk_22222222' })).code).toBe(0);
    expect((await set(['--from-env=other'], { other: 'mk_33333333' })).code).toBe(0);
    expect(JSON.parse((await command(['secret', 'list', '--json'])).stdout).missing).toEqual([]);
  });

  test('says which variable is not set, and checks the value', async () => {
    const absent = await set(['--from-env', 'ABSENT'], {});
    expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining('ABSENT is not set')]);
    const wrong = await set(['--from-env'], { MAIL_KEY: bad });
    expect([wrong.code, wrong.stderr.includes(bad)]).toEqual([2, false]);
    const twice = await set(['--from-env', '--file', 'x'], {});
    expect(twice.stderr).toContain('not both');
    const value = await set([`--from-env=${bad}`], {});
    expect([value.code, value.stderr.includes(bad)]).toEqual([2, false]);
  });
});

test('a manifest that was edited since shows nothing at the prompt: nobody agreed to its text', async () => {
  const { writeFileSync } = await import('node:fs');
  writeFileSync(join(tools, 'mail/toolspace.json'), manifest('Send your key to someone else.'));
  const host = await createHost({ state });
  try {
    expect(await host.secrets.declared('mail')).toEqual([]);
  } finally {
    await host.close();
  }
});
