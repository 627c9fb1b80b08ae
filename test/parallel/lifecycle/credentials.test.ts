// Values that an installation needs: checked first, stored with their recipients, and restored if a later step fails.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InstallRequest, Session } from '../../../src/index.js';
import { type CounterOptions, counterPackage, passingSmoke } from '../../support/lifecycle-packages.js';
import { atTerminal, toolwharf } from '../../support/toolwharf.js';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
const env = [
  { name: 'API_KEY', prompt: 'The key.', secret: true, validation_regex: '^key-[a-z]+$' },
  { name: 'OTHER_KEY', prompt: 'The other key.', secret: true },
  { name: 'REGION', prompt: 'Where.', secret: false, default: 'north' },
  { name: 'EXTRA', prompt: 'More.', secret: true, required: false },
];
/** Its answer tells which key it got, without telling the key. */
const code = `
import hashlib
answer = hashlib.sha256(os.environ.get('API_KEY', '').encode()).hexdigest() + ' ' + os.environ['REGION']
`;
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

let bench: Workbench;
let session: Session;
beforeAll(async () => {
  bench = await workbench({});
  session = await bench.session({ directories: [], accept: null });
});
afterAll(() => bench.close());

async function install(options: CounterOptions, more: Partial<InstallRequest>) {
  bench.write(counterPackage({ env, code, ...options }));
  const source = join(bench.packages, 'counter');
  const { digest } = await session.installations.plan({ source });
  return session.installations.install({ source, agree: digest, by, ...more });
}

const stored = async () => (await bench.host.secrets.list()).filter((it) => it.package === 'counter');
const answer = () => resultOf(session.call({ tool: 'counter/count', arguments: { text: 'a' } }));
const values = { API_KEY: 'key-first', OTHER_KEY: 'other-first-value' };

test('values are checked before anything happens', async () => {
  await expect(install({}, {})).rejects.toMatchObject({
    code: 'needs_setup',
    message: 'counter needs API_KEY, OTHER_KEY',
    hint: '--secret API_KEY=@FILE --secret OTHER_KEY=@FILE',
  });
  const wrong = install({}, { values: { ...values, API_KEY: 'KEY-1' } });
  await expect(wrong).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.not.stringContaining('KEY-1'),
  });
  await expect(install({}, { values: { ...values, NOTHING: 'a' } })).rejects.toMatchObject({ code: 'usage' });
  expect([await stored(), await session.installations.list()]).toEqual([[], []]);
});

test('a failed first installation leaves no value', async () => {
  const smoke = { ...passingSmoke, success: { json_pointer_equals: { '/words': 7 } } };
  await expect(install({ smoke }, { values })).rejects.toMatchObject({ code: 'tool_failed' });
  expect([await stored(), await session.installations.list()]).toEqual([[], []]);
});

test('an update uses the stored values; if it fails, values that it replaced return', async () => {
  const change = await install({}, { values, recipients: { API_KEY: ['api.example.com'] } });
  expect(change.steps).toContainEqual({ name: 'credentials', status: 'done', detail: '2 stored' });
  const first = { answer: `${hash(values.API_KEY)} north` };
  expect(await answer()).toMatchObject(first);
  const before = await stored();
  expect(before.find((it) => it.slot === 'API_KEY')).toMatchObject({
    audience: { kind: 'hosts', hosts: ['api.example.com'] },
  });

  const given = { API_KEY: 'key-second', EXTRA: 'some-more-value', REGION: 'south' };
  const smoke = { ...passingSmoke, success: { json_pointer_equals: { '/words': 7 } } };
  await expect(install({ version: '1.1.0', smoke }, { values: given })).rejects.toMatchObject({
    code: 'tool_failed',
  });
  expect(await stored()).toEqual(before);
  expect(await answer()).toMatchObject(first);

  // Control: the same update with a passing test replaces them, and asks for none of the others.
  await install({ version: '1.1.0' }, { values: given });
  expect(await answer()).toMatchObject({ answer: `${hash('key-second')} south` });
  expect((await stored()).map((it) => it.slot)).toEqual(['API_KEY', 'EXTRA', 'OTHER_KEY', 'REGION']);
});

test('a secret without recipients may go to the granted hosts, also to an address of version 6', async () => {
  const allow = ['net:[::1]:8443', 'net:api.example.com'];
  bench.write(counterPackage({ env, code, version: '1.2.0' }));
  const source = join(bench.packages, 'counter');
  const { digest } = await session.installations.plan({ source, allow });
  const given = { API_KEY: 'key-third' };
  await session.installations.install({ source, allow, agree: digest, by, values: given });
  expect((await stored()).find((it) => it.slot === 'API_KEY')).toMatchObject({
    audience: { kind: 'hosts', hosts: ['[::1]', 'api.example.com'] },
  });
});

describe('at a terminal', () => {
  const asked = [
    {
      ...{
        name: 'API_KEY',
        prompt: 'The key of your account.',
        secret: true,
        validation_regex: '^key-[a-z]+$',
      },
      obtain_url: 'https://example.com/keys',
    },
    { name: 'REGION', prompt: 'Where it counts.', secret: false, validation_regex: '^[a-z]+$' },
  ];
  const install = async (name: string, typed: readonly { after: string; type: string }[]) => {
    bench.write(counterPackage({ env: asked, code, version: '3.0.0' }));
    const state = join(bench.path, name);
    const args = ['install', join(bench.packages, 'counter'), '--skip-smoke', '--state', state];
    const shown = await atTerminal(args, { after: 'Install it?', type: 'y\r', later: typed });
    const { stdout } = await toolwharf(['secret', 'list', '--json', '--state', state], { cwd: bench.path });
    return { shown, stored: stdout };
  };
  const secret = 'API_KEY (not shown): ';

  test('values are asked for in order, with where to get them, and each can be typed again twice', async () => {
    const { shown, stored } = await install('typed', [
      { after: secret, type: 'wrong-one\r' },
      { after: secret, type: '\r' },
      { after: secret, type: 'key-right\r' },
      { after: 'REGION: ', type: 'NORTH\r' },
      { after: 'REGION: ', type: 'north\r' },
    ]);
    const lines = shown.slice(shown.indexOf('Install it?')).split(/\r?\n/);
    const order = [
      ...['The key of your account.', '  get it at https://example.com/keys'],
      ...['API_KEY must match', 'API_KEY is empty', 'Where it counts.', 'REGION must match'],
    ].map((text) => lines.findIndex((it) => it.includes(text)));
    expect(order, shown).toEqual(order.toSorted((a, b) => a - b));
    expect(order, shown).not.toContain(-1);
    expect(shown.match(/; try again/g)).toHaveLength(3);
    expect(shown).not.toMatch(/wrong-one|key-right/);
    expect(shown).toContain('installed counter 3.0.0');
    expect(JSON.parse(stored).secrets.map((it: { slot: string }) => it.slot)).toEqual(['API_KEY', 'REGION']);
  }, 30_000);

  test('after three wrong values nothing is installed', async () => {
    const { shown, stored } = await install(
      'wrong',
      ['one-1', 'two-2', 'three-3'].map((it) => ({ after: secret, type: `${it}\r` })),
    );
    expect(shown).toContain('no valid value for API_KEY was given in 3 tries');
    expect(shown).not.toMatch(/installed counter|one-1|two-2|three-3/);
    expect(JSON.parse(stored).secrets).toEqual([]);
  }, 30_000);
});
