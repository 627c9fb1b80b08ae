// The `_meta` of a request reaches the server, but not the members of the host, secrets, or what nobody approved.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject, Rule, Session } from '../../../../src/index.js';
import { BareClient, frontFor } from '../../../support/mcp-wire.js';
import { serverPackage } from '../../../support/server-package.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

const others = ['copper', 'saddle', '90277', 'meadow'].join('-');
const tool = (name: string, annotations: object) => ({
  name,
  description: 'Goes.',
  inputSchema: { type: 'object', properties: {} },
  annotations,
});
const tools = [tool('go', {}), tool('destroy', { destructiveHint: true })];
const body = `
on = {
  'tools/list': () => (${JSON.stringify({ tools })}),
  'tools/call': ({ _meta = {} }) => ({ content: [{ type: 'text', text: 'meta ' + JSON.stringify(_meta) }] }),
};`;

let bench: Workbench;
let session: Session;
let client: BareClient;
beforeAll(async () => {
  bench = await workbench(serverPackage('one', body));
  const audience = { kind: 'hosts', hosts: ['keys.example.org'] } as const;
  await bench.host.secrets.set({ package: 'other', slot: 'KEY', value: others, audience, by: 'test' });
  session = await bench.session();
  client = new BareClient(frontFor({ host: bench.host, session }));
  const clientInfo = { name: 't', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  client.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await client.next((it) => it.id === 0);
});
afterAll(() => bench.close());

let count = 0;
async function called(_meta: JsonObject): Promise<string> {
  const id = ++count;
  client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'one_go', arguments: {}, _meta } });
  return JSON.stringify(await client.next((it) => it.id === id));
}

test('the members of the client arrive, those of the host and of the protocol do not', async () => {
  const forged = {
    'toolwharf/idempotency-key': 'x',
    'io.modelcontextprotocol/protocolVersion': '1999-01-01',
    agent_id: 'admin',
    session_id: 'other',
  };
  const text = await called({ 'desk/flag': [1, 'zwei'], ...forged });
  expect(text).toContain('desk/flag');
  for (const it of ['1999-01-01', 'admin', 'idempotency']) expect(text).not.toContain(it);
});

test('a secret of another package in it is not sent', async () => {
  expect(await called({ 'desk/flag': others })).toContain('guardrail');
});

test('too much of it is an invalid request', async () => {
  expect(await called({ 'desk/flag': 'x'.repeat(20_000) })).toContain('-32602');
});

test('an approved call carries none: it was not part of what the person approved', async () => {
  const request = { tool: 'one/destroy', arguments: {}, meta: { 'desk/flag': 'unseen' } };
  const held = await session.call(request);
  if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
  await bench.host.approvals.approve(held.confirmation.token, 'operator');
  const answer = await session.call(request);
  expect(answer).toMatchObject({ status: 'ok' });
  expect(JSON.stringify(answer)).not.toContain('unseen');
  // Control: a call that nobody had to approve carries it.
  expect(JSON.stringify(await session.call({ ...request, tool: 'one/go' }))).toContain('unseen');
});

test.each<[string, Partial<Rule>]>([
  ['denies patterns', { denyPatterns: ['unseen'] }],
  ['limits the length', { maxLength: 10_000 }],
  ['removes personal data', { redact: ['email'] }],
])(
  'a call carries none if a guardrail of the operator %s: it looks only at arguments',
  async (_, guardrail) => {
    const origin = { kind: 'user', file: '/home/config.toml', line: 7 } as const;
    const sent = async (rule: Partial<Rule>) => {
      const guarded = await bench.session({ policy: { rules: [{ tool: '*', ...rule, origin }] } });
      const meta = { 'desk/flag': 'unseen', traceparent: 'unseen' };
      const answer = await guarded.call({ tool: 'one/go', arguments: {}, meta });
      await guarded.close();
      expect(answer).toMatchObject({ status: 'ok' });
      return JSON.stringify(answer);
    };
    expect(await sent(guardrail)).not.toContain('unseen');
    // Control: a rule that does not look at arguments.
    expect(await sent({ rateLimit: { count: 100, per: 'minute' } })).toContain('unseen');
  },
);
