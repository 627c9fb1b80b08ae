// SECURITY.md: "Secrets are removed from output". Other outputs of a program than its answers: its last
// output before it exits at start, and its errors for prompts and resources.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { serverPackage } from '../../support/server-package.js';
import { failureOf, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const own = ['harbor', 'lantern', '48213', 'quince'].join('-');
const others = ['copper', 'saddle', '90277', 'meadow'].join('-');
const key = { name: 'DOOR_KEY', prompt: 'The key of a door.', secret: true };

const offering = `initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: 'x', version: '1' } }),
  'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }] }),
  'resources/list': () => ({ resources: [{ uri: 'desk://pens', name: 'pens' }] }),`;

let bench: Workbench;
let session: Session;

beforeAll(async () => {
  bench = await workbench({
    ...serverPackage(
      'dying',
      `process.stderr.write('no door for ' + process.env.DOOR_KEY + '\\n'); process.exit(3);`,
      [key],
    ),
    ...serverPackage(
      'grumbling',
      `const no = (id) => void write({ id, error: { code: -32000, message: 'not with ' + process.env.DOOR_KEY } });
on = { ${offering} 'prompts/get': (_, id) => no(id), 'resources/read': (_, id) => no(id),
  'tools/call': () => ({ content: [{ type: 'text', text: String(process.env.DOOR_KEY.length) }] }) };`,
      [key],
    ),
    ...serverPackage(
      'echoing',
      `on = { ${offering}
  'prompts/get': ({ arguments: given }) => ({ messages: [{ role: 'user', content: { type: 'text', text: 'who: ' + given.who.length } }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'length: ' + uri.length }] }) };`,
    ),
  });
  const audience = { kind: 'hosts', hosts: ['keys.example.org'] } as const;
  for (const it of ['dying', 'grumbling'])
    await bench.host.secrets.set({ package: it, slot: 'DOOR_KEY', value: own, audience, by: 'test' });
  await bench.host.secrets.set({ package: 'gone', slot: 'KEY', value: others, audience, by: 'test' });
  session = await bench.session();
}, 60_000);
afterAll(() => bench.close());

function textOf(error: unknown): string {
  const { message, hint } = error as { message: string; hint?: string };
  return `${message} ${hint ?? ''}`;
}

test('control: the program has the secret', async () => {
  expect(await resultOf(session.call({ tool: 'grumbling/go', arguments: {} }))).toBe(String(own.length));
});

test('the last output of a program that fails to start is redacted', async () => {
  const listed = JSON.stringify(await session.packages());
  expect(listed).not.toContain(own);
  expect(listed).toContain('no door for [redacted:');
  const { message, hint } = await failureOf(session.call({ tool: 'dying/go', arguments: {} }));
  expect(`${message} ${hint}`).not.toContain(own);
});

test('errors of a program for prompts and resources are redacted', async () => {
  for (const asked of [
    () => session.promptMessages('grumbling_greet', {}),
    () => session.resource('upstream://grumbling/server/desk://pens'),
  ]) {
    const text = textOf(await asked().catch((error: unknown) => error));
    expect(text).toContain('not with [redacted:DOOR_KEY]');
    expect(text).not.toContain(own);
  }
});

test('requests for prompts and resources with a secret of another package are rejected, and not logged with it', async () => {
  expect(await session.resource('upstream://echoing/server/desk://pens')).toMatchObject({
    contents: [{ text: 'length: 11' }],
  });
  for (const asked of [
    () => session.promptMessages('echoing_greet', { who: `me ${others}` }),
    () => session.prompt('echoing_greet', { who: Buffer.from(others).toString('hex') }),
    () => session.resource(`upstream://echoing/server/desk://pens?${others}`),
  ])
    await expect(asked()).rejects.toMatchObject({ code: 'guardrail' });
  const entries = await bench.host.auditTail(200);
  expect(JSON.stringify(entries)).not.toContain(others);
  expect(entries.filter((it) => it.kind === 'refusal' && it.body.code === 'guardrail')).toHaveLength(3);
});
