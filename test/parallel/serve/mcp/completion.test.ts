// Completion and instructions of servers: what people and models read of them has passed the same checks as results.
import { afterEach, expect, test } from 'vitest';
import { frontFor, officialClient } from '../../../support/mcp-wire.js';
import { serverPackage } from '../../../support/server-package.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

let bench: Workbench;
afterEach(() => bench.close());

const key = ['harbor', 'lantern', '48213', 'quince'].join('-');
const others = ['copper', 'saddle', '90277', 'meadow'].join('-');
const env = [{ name: 'DOOR_KEY', prompt: 'The key of a door.', secret: true }];
const audience = { kind: 'hosts', hosts: ['keys.example.org'] } as const;
const body = `
const capabilities = { tools: { listChanged: true }, prompts: {}, completions: {} };
on = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, instructions: 'Knock first.', serverInfo: { name: 'bare', version: '1' } }),
  'prompts/list': () => ({ prompts: [{ name: 'open', arguments: [{ name: 'door' }] }] }),
  'completion/complete': ({ argument }) => ({ completion: { values: ['front', 'key ' + process.env.DOOR_KEY, 7, argument.value], total: 4 } }),
};`;

const about = (value: string) => ({
  of: { prompt: 'one_open' },
  argument: { name: 'door', value },
  known: {},
});

async function open() {
  bench = await workbench(serverPackage('one', body, env));
  await bench.host.secrets.set({ package: 'one', slot: 'DOOR_KEY', value: key, audience, by: 'test' });
  return bench.session();
}

test('values of a server reach the caller without secrets, and each request is in the audit log', async () => {
  const session = await open();
  const { values, total } = await session.complete(about('fr'));
  expect(values).toHaveLength(3);
  expect(values).toContain('front');
  expect(values).toContain('fr');
  expect(JSON.stringify(values)).not.toContain(key);
  expect(total).toBe(4);
  const reads = (await bench.host.auditTail(5)).filter((it) => it.kind === 'read');
  expect(reads.at(-1)?.body).toMatchObject({ package: 'one', completion: 'prompt:open' });
});

test('a value with a secret is not sent to the server', async () => {
  const session = await open();
  await bench.host.secrets.set({
    package: 'other',
    slot: 'KEY',
    value: others,
    audience,
    by: 'test',
  });
  await expect(session.complete(about(others))).rejects.toThrow();
  expect(await session.complete(about('plain'))).toMatchObject({ total: 4 });
});

test('a killed package completes nothing', async () => {
  const session = await open();
  await session.complete(about(''));
  await bench.host.kills.set('one', 'test');
  await expect(session.complete(about(''))).rejects.toMatchObject({
    code: expect.stringMatching(/killed|not_found/),
  });
});

test('an unknown prompt is an invalid request, not a failure of the host', async () => {
  const session = await open();
  const client = await officialClient(frontFor({ host: bench.host, session }), '2025');
  const ref = { type: 'ref/prompt' as const, name: 'nothing' };
  await expect(client.complete({ ref, argument: { name: 'a', value: '' } })).rejects.toMatchObject({
    code: -32602,
  });
  await client.close();
});

test('instructions name their package', async () => {
  const session = await open();
  const client = await officialClient(frontFor({ host: bench.host, session }), '2026');
  const wanted = 'Instructions of the package one, written by its author:\nKnock first.';
  expect(client.getInstructions()).toContain(wanted);
  await client.close();
});
