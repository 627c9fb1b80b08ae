// Held calls over MCP: asked through the client where it can show a question, told to the model where it cannot. What
// was handed out for one call, caller and moment is good for nothing else.
import type { ClientOptions } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../src/index.js';
import type { Front, FrontParts } from '../src/serve/mcp/front.js';
import {
  BareClient,
  bugs,
  type Era,
  envelope,
  frontFor,
  type Message,
  officialClient,
  partsFor,
} from './mcp-wire.js';
import { patchTool, until } from './toolwharf.js';
import { findagent, inputOf, type Workbench, workbench } from './workbench.js';

let bench: Workbench;
let session: Session;
let parts: FrontParts;
let clock = Date.parse('2026-01-01T00:00:00Z');
const fronts: Front[] = [];
const now = () => clock;

beforeEach(async () => {
  bench = await workbench(
    {
      'note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }),
      'both/findagent.json': findagent('Both', {
        tools: [
          {
            name: 'outer',
            description: 'Ask next door.',
            input_schema: inputOf({ text: { type: 'string' } }),
            action: { type: 'compose', agent: 'note', tool: 'note' },
          },
        ],
        guardrails: { actions: { outer: { approval: 'human' } } },
      }),
    },
    { warm: false, now },
  );
  session = await bench.session({ principal: 'alice' });
  parts = partsFor(now);
});

afterEach(async () => {
  for (const it of fronts.splice(0)) it.close();
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

function front(holder = 'connection-1', expose: 'all' | 'search' = 'all'): Front {
  const made = frontFor({ host: bench.host, session, principal: 'alice', holder, expose, parts });
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

  test('accepts: the call runs once, after the question showed all of it', async () => {
    const questions: string[] = [];
    const client = await answering({ action: 'accept', content: { approve: true } }, questions);
    await client.listTools();
    const result = await client.callTool({ name: 'note', arguments: { text: 'pay\u200b \u202eevil' } });
    expect(result.isError).toBeUndefined();
    // The tool got all of it; what it answers is shown without.
    expect(result.structuredContent).toEqual({ noted: 'pay evil' });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('note/note');
    expect(questions[0]).toContain('pay<U+200B> <U+202E>evil');
    expect([await states(), await intents()]).toEqual([['executed'], 1]);
    const decision = (await bench.host.auditTail(100)).find((it) => it.kind === 'approval');
    expect(decision?.body.by).toBe('alice through its client');
    await client.close();
  });

  test.each<[string, Action]>([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['accepts without a yes', { action: 'accept', content: { approve: false } }],
    ['accepts nothing', { action: 'accept' }],
  ])('%s: the call is denied and nothing ran', async (_name, action) => {
    const client = await answering(action);
    const result = await client.callTool({ name: 'note', arguments: { text: 'a' } });
    expect(result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'approval_denied' } });
    expect([await states(), await intents()]).toEqual([['denied'], 0]);
    await client.close();
  });

  test('accepts through the fixed tools', async () => {
    const client = await answering({ action: 'accept', content: { approve: true } }, [], 'search');
    const target = { name: 'note', arguments: { text: 'far' } };
    const result = await client.callTool({ name: 'call_tool', arguments: target });
    expect(JSON.parse(textOf(result))).toEqual({ noted: 'far' });
    expect(await intents()).toBe(1);
    await client.close();
  });

  test('accepts a tool and the tool that it calls, one question each', async () => {
    const questions: string[] = [];
    const client = await answering({ action: 'accept', content: { approve: true } }, questions);
    const result = await client.callTool({ name: 'both_outer', arguments: { text: 'a' } });
    expect(JSON.parse(textOf(result))).toEqual({ noted: 'a' });
    expect(questions.map((it) => it.split('\n')[0])).toEqual(['Run both/outer?', 'Run note/note?']);
    expect(await states()).toEqual(['executed', 'executed']);
    await client.close();
  });

  test('is not asked without end', async () => {
    const questions: string[] = [];
    const client = await answering({ action: 'decline' }, questions);
    const codes = new Set<unknown>();
    for (let at = 0; at < 32; at++) {
      // Slowly enough for the host itself.
      clock += 5000;
      const result = await client.callTool({ name: 'note', arguments: { text: String(at) } });
      codes.add(result._meta?.['toolwharf/status']);
    }
    expect(questions).toHaveLength(30);
    expect(codes).toEqual(new Set(['denied', 'confirmation_required']));
    await client.close();
  });

  test('refuses what somebody else has approved meanwhile: nothing runs', async () => {
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

  test('answers too late: it has run out', async () => {
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
    ['nothing', {}],
    ['addresses only', { capabilities: { elicitation: { url: {} } } }],
  ])('can show %s: the model is told, and a person decides elsewhere', async (_name, options) => {
    const client = await officialClient(front(), era, options);
    const held = await client.callTool({ name: 'note', arguments: { text: 'a' } });
    const { status, confirmation_token: token } = JSON.parse(textOf(held));
    expect([held.isError, status]).toEqual([true, 'confirmation_required']);
    const confirm = () =>
      client.callTool({ name: 'patch_confirm_action', arguments: { confirmation_token: token } });
    expect(JSON.parse(textOf(await confirm())).status).toBe('pending');
    await bench.host.approvals.approve(token, 'person');
    expect(JSON.parse(textOf(await confirm()))).toEqual({ noted: 'a' });
    await client.close();
  });
});

describe('the state of a held call in 2026', () => {
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
  const refused = { error: { code: -32602, data: { reason: 'invalid_request_state' } } };

  test('asks with one field, and runs with the answer', async () => {
    const client = new BareClient(front());
    const asked = await ask(client);
    expect(asked.resultType).toBe('input_required');
    expect(asked.inputRequests.approval.method).toBe('elicitation/create');
    expect(asked.inputRequests.approval.params.requestedSchema).toMatchObject({ required: ['approve'] });
    expect(Buffer.from(asked.requestState, 'base64url').toString()).not.toContain('"text"');
    const done = await retry(client, { requestState: asked.requestState }, 2);
    expect(done).toMatchObject({ result: { resultType: 'complete', structuredContent: { noted: 'a' } } });
  });

  test('is good once', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    await retry(client, { requestState }, 2);
    expect(await retry(client, { requestState }, 3)).toMatchObject(refused);
    expect(await intents()).toBe(1);
  });

  test('is good once, also at the same moment', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    const both = await Promise.all([2, 3, 4].map((id) => retry(client, { requestState }, id)));
    expect(both.filter((it) => 'result' in it)).toHaveLength(1);
    expect(await intents()).toBe(1);
  });

  test.each<[string, (state: string) => string]>([
    ['a changed body', (it) => `${it[0] === 'A' ? 'B' : 'A'}${it.slice(1)}`],
    ['a changed tag', (it) => `${it.slice(0, -2)}${it.at(-2) === 'A' ? 'B' : 'A'}${it.slice(-1)}`],
    ['another spelling of the tag', (it) => `${it}=`],
    ['no tag', (it) => it.split('.')[0] as string],
    ['an empty text', () => ''],
    ['a made one', () => `${Buffer.from('{"nonce":"x"}').toString('base64url')}.AAAA`],
    ['something long', () => 'x'.repeat(100_000)],
  ])('with %s is refused, and the right one still works', async (_name, change) => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    expect(await retry(client, { requestState: change(requestState) }, 2)).toMatchObject(refused);
    expect(await intents()).toBe(0);
    expect(await retry(client, { requestState }, 3)).toMatchObject({ result: { resultType: 'complete' } });
  });

  test('is for this tool and these arguments', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    for (const [index, other] of [
      { arguments: { text: 'b' } },
      { arguments: {} },
      { name: 'note/note' },
      { name: 'patch_confirm_action' },
    ].entries())
      expect(await retry(client, { ...other, requestState }, 10 + index)).toMatchObject(refused);
    expect([await states(), await intents()]).toEqual([['proposed'], 0]);
  });

  test('is for this client: a second one of the same user cannot use it, nor spoil it', async () => {
    const client = new BareClient(front());
    const second = new BareClient(front('connection-2'));
    const { requestState } = await ask(client);
    expect(await retry(second, { requestState }, 2)).toMatchObject(refused);
    expect(await intents()).toBe(0);
    expect(await retry(client, { requestState }, 3)).toMatchObject({ result: { resultType: 'complete' } });
  });

  test('is for this principal', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    const mallory = await bench.session({ principal: 'mallory' });
    const other = frontFor({
      host: bench.host,
      session: mallory,
      principal: 'mallory',
      holder: 'connection-1',
      parts,
    });
    fronts.push(other);
    expect(await retry(new BareClient(other), { requestState }, 2)).toMatchObject(refused);
  });

  test('is not good with another key, as after a restart of the host', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    parts = partsFor(now);
    expect(await retry(new BareClient(front()), { requestState }, 2)).toMatchObject(refused);
  });

  test('runs out with the held call', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    clock += 10 * 60_000;
    expect(await retry(client, { requestState }, 2)).toMatchObject(refused);
  });

  test('without an answer the question is put again', async () => {
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

  test('arguments without end are no reason to fall over', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client);
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const { _meta } = envelope(caps);
    const rest = JSON.stringify({ requestState, inputResponses: yes, _meta }).slice(1);
    client.send(
      `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"note","arguments":${deep},${rest}}`,
    );
    expect(await client.next((it) => it.id === 9)).toMatchObject(refused);
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

  test('is answered by nobody but this connection', async () => {
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
    // Answered twice: the second time nothing is open.
    client.send({ jsonrpc: '2.0', id: question.id, result: yes });
    await client.request('ping', {}, 6);
    expect(await intents()).toBe(1);
  });

  test('ends with the call', async () => {
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

  test('ends with the connection', async () => {
    const { client } = await begin();
    client.leave();
    await until(() => client.ended);
    expect(await intents()).toBe(0);
  });

  test('is put once for the same call; a client that fails to ask leaves it to the model', async () => {
    const { client, question } = await begin();
    const same = await client.request('tools/call', { name: 'note', arguments: { text: 'a' } }, 3);
    expect(same).toMatchObject({ result: { _meta: { 'toolwharf/status': 'confirmation_required' } } });
    client.send({ jsonrpc: '2.0', id: question.id, error: { code: -32601, message: 'no' } });
    expect(await client.next((it) => it.id === 2)).toMatchObject({
      result: { isError: true, _meta: { 'toolwharf/status': 'confirmation_required' } },
    });
    expect(await states()).toEqual(['proposed']);
  });

  test('ends when the held call does', async () => {
    const client = new BareClient(front());
    await client.request('initialize', hello);
    // The host holds it for ten minutes; this client's clock is nearly there.
    const ahead = frontFor({
      host: bench.host,
      session,
      principal: 'alice',
      holder: 'x',
      parts: { ...parts, now: () => clock + 10 * 60_000 - 300 },
    });
    fronts.push(ahead);
    const late = new BareClient(ahead);
    await late.request('initialize', hello);
    const told = late.request('tools/call', { name: 'note', arguments: { text: 'a' } }, 2);
    const question = await late.next(asked);
    expect(await late.next((it) => it.method === 'notifications/cancelled')).toMatchObject({
      params: { requestId: question.id },
    });
    expect(await told).toMatchObject({ result: { isError: true } });
  });
});
