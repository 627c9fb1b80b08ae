// Held calls over MCP, for a client that may approve: it asks the user if it supports elicitation; otherwise the model
// gets the status. A
// request state is valid only for one call, one principal and a limited time.
import type { ClientOptions } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session, TokenEntry } from '../../../../src/index.js';
import type { McpServer } from '../../../../src/serve/mcp/server.js';
import type { McpServerParts } from '../../../../src/serve/mcp/server-options.js';
import {
  BareClient,
  bugs,
  type Era,
  envelope,
  frontFor,
  type Message,
  officialClient,
  partsFor,
} from '../../../support/mcp-wire.js';
import { patchTool, until } from '../../../support/toolwharf.js';
import { findagent, inputOf, type Workbench, workbench } from '../../../support/workbench.js';

let bench: Workbench;
let session: Session;
/** The token with which the client may approve. */
let approver: TokenEntry;
let parts: McpServerParts;
let clock = Date.parse('2026-01-01T00:00:00Z');
const fronts: McpServer[] = [];
const now = () => clock;

beforeEach(async () => {
  bench = await workbench(
    {
      'note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }),
      'both/findagent.json': findagent('Both', {
        tools: [
          {
            name: 'outer',
            description: 'Call another package.',
            input_schema: inputOf({ text: { type: 'string' } }),
            action: { type: 'compose', agent: 'note', tool: 'note' },
          },
        ],
        guardrails: { actions: { outer: { approval: 'human' } } },
      }),
    },
    { warm: false, now },
  );
  const input = { name: 'alice', role: 'agent', expiresAt: null, mayApprove: true, by: 'test' } as const;
  approver = (await bench.host.tokens.create(input)).entry;
  session = await bench.session({ principal: approver.principal });
  parts = partsFor(now);
});

afterEach(async () => {
  for (const it of fronts.splice(0)) it.close();
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

function front(holder = 'connection-1', expose: 'all' | 'search' = 'all'): McpServer {
  const { principal, id } = approver;
  const made = frontFor({ host: bench.host, session, principal, approver: id, holder, expose, parts });
  fronts.push(made);
  return made;
}

const states = async () =>
  (
    await bench.host.approvals.list(['proposed', 'approved', 'denied', 'expired', 'executing', 'executed'])
  ).map((it) => it.state);
const intents = async () => (await bench.host.auditTail(100)).filter((it) => it.kind === 'intent').length;
const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';

type Action = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> };

describe.each<Era>(['2025', '2026'])('an official client of %s', (era) => {
  const asking: ClientOptions = { capabilities: { elicitation: { form: {} } } };

  async function answering(action: Action, questions: string[] = [], expose: 'all' | 'search' = 'all') {
    const client = await officialClient(front('connection-1', expose), era, asking);
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      return action;
    });
    return client;
  }

  test('accepts: the call runs once, after the question showed all its arguments', async () => {
    const questions: string[] = [];
    const client = await answering({ action: 'accept', content: { approve: true } }, questions);
    await client.listTools();
    const result = await client.callTool({ name: 'note', arguments: { text: 'pay\u200b \u202eevil' } });
    expect(result.isError).toBeUndefined();
    // The tool got the invisible characters; they are removed from its result.
    expect(result.structuredContent).toEqual({ noted: 'pay evil' });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('note/note');
    expect(questions[0]).toContain('pay<U+200B> <U+202E>evil');
    expect([await states(), await intents()]).toEqual([['executed'], 1]);
    const decision = (await bench.host.auditTail(100)).find((it) => it.kind === 'approval');
    expect(decision?.body).toMatchObject({ by: 'http/alice', channel: 'client', verified: false });
    await client.close();
  });

  test.each<[string, Action]>([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['accepts with approve set to false', { action: 'accept', content: { approve: false } }],
    ['accepts without content', { action: 'accept' }],
  ])('%s: the call is denied and does not run', async (_name, action) => {
    const client = await answering(action);
    const result = await client.callTool({ name: 'note', arguments: { text: 'a' } });
    expect(result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'approval_denied' } });
    expect([await states(), await intents()]).toEqual([['denied'], 0]);
    await client.close();
  });

  test('accepts a call through the meta-tools', async () => {
    const client = await answering({ action: 'accept', content: { approve: true } }, [], 'search');
    const target = { name: 'note', arguments: { text: 'far' } };
    const result = await client.callTool({ name: 'call_tool', arguments: target });
    expect(JSON.parse(textOf(result))).toEqual({ noted: 'far' });
    expect(await intents()).toBe(1);
    await client.close();
  });

  test('accepts a tool and the tool that it calls, with one question each', async () => {
    const questions: string[] = [];
    const client = await answering({ action: 'accept', content: { approve: true } }, questions);
    const result = await client.callTool({ name: 'both_outer', arguments: { text: 'a' } });
    expect(JSON.parse(textOf(result))).toEqual({ noted: 'a' });
    expect(questions.map((it) => it.split('\n')[0])).toEqual(['Run both/outer?', 'Run note/note?']);
    expect(await states()).toEqual(['executed', 'executed']);
    await client.close();
  });

  test('gets a limited number of questions', async () => {
    const questions: string[] = [];
    const client = await answering({ action: 'decline' }, questions);
    const codes = new Set<unknown>();
    for (let at = 0; at < 32; at++) {
      // Slow enough for the limits of the host.
      clock += 5000;
      const result = await client.callTool({ name: 'note', arguments: { text: String(at) } });
      codes.add(result._meta?.['toolwharf/status']);
    }
    expect(questions).toHaveLength(30);
    expect(codes).toEqual(new Set(['denied', 'confirmation_required']));
    await client.close();
  });

  test('declines a call that another person has just approved: the call does not run', async () => {
    const client = await officialClient(front(), era, asking);
    client.setRequestHandler('elicitation/create', async () => {
      const [held] = await bench.host.approvals.list(['proposed']);
      await bench.host.approvals.approve(held?.id as string, 'another person');
      return { action: 'decline' };
    });
    const result = await client.callTool({ name: 'note', arguments: { text: 'a' } });
    expect(result).toMatchObject({ isError: true });
    expect(await intents()).toBe(0);
    await client.close();
  });

  test('answers too late: the approval has expired', async () => {
    const client = await officialClient(front(), era, asking);
    client.setRequestHandler('elicitation/create', async () => {
      clock += 11 * 60_000;
      return { action: 'accept', content: { approve: true } };
    });
    const call = client.callTool({ name: 'note', arguments: { text: 'a' } });
    if (era === '2025')
      expect(await call).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'approval_expired' } });
    else await expect(call).rejects.toMatchObject({ code: -32602 });
    expect([await states(), await intents()]).toEqual([['expired'], 0]);
    await client.close();
  });

  test.each<[string, ClientOptions]>([
    ['no questions', {}],
    ['only URL questions', { capabilities: { elicitation: { url: {} } } }],
  ])('supports %s: the model gets the status, and a person decides elsewhere', async (_name, options) => {
    const client = await officialClient(front(), era, options);
    const held = await client.callTool({ name: 'note', arguments: { text: 'a' } });
    const { status, confirmation_token: token } = JSON.parse(textOf(held));
    expect([held.isError, status]).toEqual([undefined, 'confirmation_required']);
    const confirm = () =>
      client.callTool({ name: 'patch_confirm_action', arguments: { confirmation_token: token } });
    expect(JSON.parse(textOf(await confirm())).status).toBe('pending');
    await bench.host.approvals.approve(token, 'person');
    expect(JSON.parse(textOf(await confirm()))).toEqual({ noted: 'a' });
    await client.close();
  });
});

describe('the request state of a held call in 2026', () => {
  const caps = { elicitation: {} };
  const yes = { approval: { action: 'accept', content: { approve: true } } };
  const call = { name: 'note', arguments: { text: 'a' } };

  const ask = async (client: BareClient, id = 1) =>
    (await client.request('tools/call', { ...call, ...envelope(caps) }, id)).result as {
      resultType: string;
      requestState: string;
      inputRequests: { approval: { method: string; params: { requestedSchema: object } } };
    };
  const retry = (client: BareClient, more: object, id: number) =>
    client.request('tools/call', { ...call, inputResponses: yes, ...envelope(caps), ...more }, id);
  const rejected = { error: { code: -32602, data: { reason: 'invalid_request_state' } } };

  test('the question has one field, and the call runs with the answer', async () => {
    const client = new BareClient(front());
    const asked = await ask(client);
    expect(asked.resultType).toBe('input_required');
    expect(asked.inputRequests.approval.method).toBe('elicitation/create');
    expect(asked.inputRequests.approval.params.requestedSchema).toMatchObject({ required: ['approve'] });
    expect(Buffer.from(asked.requestState, 'base64url').toString()).not.toContain('"text"');
    const done = await retry(client, { requestState: asked.requestState }, 2);
    expect(done).toMatchObject({ result: { resultType: 'complete', structuredContent: { noted: 'a' } } });
  });

  test('a state is valid once', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    await retry(client, { requestState }, 2);
    expect(await retry(client, { requestState }, 3)).toMatchObject(rejected);
    expect(await intents()).toBe(1);
  });

  test('a state is valid once, also for concurrent requests', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    const both = await Promise.all([2, 3, 4].map((id) => retry(client, { requestState }, id)));
    expect(both.filter((it) => 'result' in it)).toHaveLength(1);
    expect(await intents()).toBe(1);
  });

  test.each<[string, (state: string) => string]>([
    ['a changed body', (it) => `${it[0] === 'A' ? 'B' : 'A'}${it.slice(1)}`],
    ['a changed tag', (it) => `${it.slice(0, -2)}${it.at(-2) === 'A' ? 'B' : 'A'}${it.slice(-1)}`],
    ['padding after the tag', (it) => `${it}=`],
    ['its tag removed', (it) => it.split('.')[0] as string],
    ['no text', () => ''],
    ['an invented body', () => `${Buffer.from('{"nonce":"x"}').toString('base64url')}.AAAA`],
    ['100,000 characters', () => 'x'.repeat(100_000)],
  ])('a state with %s is rejected, and the correct one still works', async (_name, change) => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    expect(await retry(client, { requestState: change(requestState) }, 2)).toMatchObject(rejected);
    expect(await intents()).toBe(0);
    expect(await retry(client, { requestState }, 3)).toMatchObject({ result: { resultType: 'complete' } });
  });

  test('a state is valid only for its tool and arguments', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    for (const [index, other] of [
      { arguments: { text: 'b' } },
      { arguments: {} },
      { name: 'note/note' },
      { name: 'patch_confirm_action' },
    ].entries())
      expect(await retry(client, { ...other, requestState }, 10 + index)).toMatchObject(rejected);
    expect([await states(), await intents()]).toEqual([['proposed'], 0]);
  });

  test('another client of the same user can neither use a state nor void it', async () => {
    const client = new BareClient(front());
    const second = new BareClient(front('connection-2'));
    const { requestState } = await ask(client);
    expect(await retry(second, { requestState }, 2)).toMatchObject(rejected);
    expect(await intents()).toBe(0);
    expect(await retry(client, { requestState }, 3)).toMatchObject({ result: { resultType: 'complete' } });
  });

  test('a state is valid only for its principal', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    const mallory = await bench.session({ principal: 'mallory' });
    const other = frontFor({
      host: bench.host,
      session: mallory,
      principal: 'mallory',
      approver: approver.id,
      holder: 'connection-1',
      parts,
    });
    fronts.push(other);
    expect(await retry(new BareClient(other), { requestState }, 2)).toMatchObject(rejected);
  });

  test('a state is not valid with another key, as after a restart of the host', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    parts = partsFor(now);
    expect(await retry(new BareClient(front()), { requestState }, 2)).toMatchObject(rejected);
  });

  test('a state expires with the held call', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    clock += 10 * 60_000;
    expect(await retry(client, { requestState }, 2)).toMatchObject(rejected);
  });

  test('without a valid answer, the client gets the question again', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    for (const [index, inputResponses] of [
      {},
      { approval: {} },
      { other: yes.approval },
      [],
      'x',
    ].entries()) {
      const again = await retry(client, { requestState, inputResponses }, 10 + index);
      expect(again).toMatchObject({ result: { resultType: 'input_required' } });
    }
    expect(await states()).toEqual(['proposed']);
  });

  test.each([
    [120, 'as other arguments', rejected],
    [
      50_000,
      'before they are parsed',
      { error: { code: -32600, message: expect.stringContaining('nested') } },
    ],
  ])('arguments of %i levels are rejected %s', async (levels, _, expected) => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const { _meta } = envelope(caps);
    const rest = JSON.stringify({ requestState, inputResponses: yes, _meta }).slice(1);
    client.send(
      `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"note","arguments":${deep},${rest}}`,
    );
    expect(await client.next((it) => it.id === 9)).toMatchObject(expected);
  });
});

describe('a question to a 2025 client', () => {
  const hello = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: {} };
  const asked = (it: Message) => it.method === 'elicitation/create';
  const begin = async () => {
    const client = new BareClient(front());
    await client.request('initialize', hello);
    client.send({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'note', arguments: { text: 'a' } },
    });
    return { client, question: await client.next(asked) };
  };

  test('only the same connection can answer, and only once', async () => {
    const { client, question } = await begin();
    const second = new BareClient(front('connection-2'));
    await second.request('initialize', hello);
    const yes = { action: 'accept', content: { approve: true } };
    second.send({ jsonrpc: '2.0', id: question.id, result: yes });
    await second.request('ping', {}, 5);
    expect([await states(), await intents()]).toEqual([['proposed'], 0]);
    client.send({ jsonrpc: '2.0', id: question.id, result: yes });
    expect(await client.next((it) => it.id === 2)).toMatchObject({
      result: { structuredContent: { noted: 'a' } },
    });
    // A second answer has no effect.
    client.send({ jsonrpc: '2.0', id: question.id, result: yes });
    await client.request('ping', {}, 6);
    expect(await intents()).toBe(1);
  });

  test('canceling the call cancels the question', async () => {
    const { client, question } = await begin();
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    expect(await client.next((it) => it.method === 'notifications/cancelled')).toMatchObject({
      params: { requestId: question.id },
    });
    client.send({
      jsonrpc: '2.0',
      id: question.id,
      result: { action: 'accept', content: { approve: true } },
    });
    await client.request('ping', {}, 5);
    expect([await states(), await intents()]).toEqual([['proposed'], 0]);
  });

  test('the question ends with the connection', async () => {
    const { client } = await begin();
    client.leave();
    await until(() => client.ended);
    expect(await intents()).toBe(0);
  });

  test('the same call is asked once; if the client fails to ask, the model gets the status', async () => {
    const { client, question } = await begin();
    const same = await client.request('tools/call', { name: 'note', arguments: { text: 'a' } }, 3);
    expect(same).toMatchObject({ result: { _meta: { 'toolwharf/status': 'confirmation_required' } } });
    client.send({ jsonrpc: '2.0', id: question.id, error: { code: -32601, message: 'no' } });
    expect(await client.next((it) => it.id === 2)).toMatchObject({
      result: { _meta: { 'toolwharf/status': 'confirmation_required' } },
    });
    expect(await states()).toEqual(['proposed']);
  });

  test('the question is canceled when the held call expires', async () => {
    const client = new BareClient(front());
    await client.request('initialize', hello);
    // The host holds the call for ten minutes; the clock of this server is almost at the end.
    const ahead = frontFor({
      host: bench.host,
      session,
      principal: approver.principal,
      approver: approver.id,
      holder: 'x',
      parts: { ...parts, now: () => clock + 10 * 60_000 - 300 },
    });
    fronts.push(ahead);
    const late = new BareClient(ahead);
    await late.request('initialize', hello);
    const answer = late.request('tools/call', { name: 'note', arguments: { text: 'a' } }, 2);
    const question = await late.next(asked);
    expect(await late.next((it) => it.method === 'notifications/cancelled')).toMatchObject({
      params: { requestId: question.id },
    });
    expect(await answer).toMatchObject({ result: { structuredContent: { tool: 'note/note' } } });
  });
});
