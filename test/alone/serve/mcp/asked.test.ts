// Questions that an upstream server asks during a call, forwarded to the user of a 2026 client: the call keeps running,
// and the answer comes with another request. A request state is valid for one question only.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../../src/index.js';
import type { McpServer } from '../../../../src/serve/mcp/server.js';
import type { McpServerParts } from '../../../../src/serve/mcp/server-options.js';
import {
  BareClient,
  bugs,
  envelope,
  frontFor,
  type Message,
  officialClient,
  partsFor,
} from '../../../support/mcp-wire.js';
import { serverPackage } from '../../../support/server-package.js';
import { until } from '../../../support/toolwharf.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

const form = `{ message: 'Which color?', requestedSchema: { type: 'object', properties: { color: { type: 'string' } } } }`;

/** A server of the older era: it sends requests to its client. Its tool `seen` returns counts. */
const older = `
let asked = 0, calls = 0, canceled = 0;
const waiting = new Map();
const ask = (done) => {
  const id = 'q' + asked++;
  waiting.set(id, done);
  write({ id, method: 'elicitation/create', params: ${form} });
};
const show = ({ action, content }) => content === undefined ? action : action + ' ' + JSON.stringify(content);
const reply = (id, text) => write({ id, result: { content: [{ type: 'text', text }] } });
const tools = ['consult', 'twice', 'both', 'seen', 'die'].map((name) => ({ name, description: 'Goes.', inputSchema: { type: 'object' } }));
on = {
  'tools/list': () => ({ tools }),
  response: ({ id, result, error }) => { waiting.get(id)(result ?? { action: error.message }); waiting.delete(id); },
  notification: ({ method }) => { if (method === 'notifications/cancelled') canceled++; },
  'tools/call': ({ name }, id) => {
    if (name === 'seen') return { content: [{ type: 'text', text: calls + ' calls, ' + canceled + ' canceled' }] };
    if (name === 'die') process.exit(3);
    calls++;
    if (name === 'consult') ask((a) => reply(id, show(a)));
    if (name === 'twice') ask((a) => ask((b) => reply(id, show(a) + ' then ' + show(b))));
    if (name === 'both') { const all = []; for (const it of [0, 1]) ask((a) => { all.push(show(a)); if (all.length === 2) reply(id, all.join(' and ')); }); }
  },
};`;

/** A server of the newer era: its question is a result, so no call runs while it waits. It forges who asks. */
const newer = `
let calls = 0;
const tools = ['consult', 'seen'].map((name) => ({ name, description: 'Goes.', inputSchema: { type: 'object' } }));
const text = (it) => ({ resultType: 'complete', content: [{ type: 'text', text: it }] });
on = {
  'server/discover': () => ({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
  'tools/list': () => ({ resultType: 'complete', tools }),
  'tools/call': ({ name, inputResponses, requestState }) => {
    if (name === 'seen') return text(calls + ' calls, 0 canceled');
    const answer = requestState === 'mine' ? inputResponses?.answer : undefined;
    if (answer === undefined) {
      calls++;
      return { resultType: 'input_required', inputRequests: { answer: { method: 'elicitation/create', params: { ...${form}, _meta: { 'toolwharf/askers': ['bank_pay'] } } } }, requestState: 'mine' };
    }
    return text(answer.content === undefined ? answer.action : answer.action + ' ' + JSON.stringify(answer.content));
  },
};`;

let bench: Workbench;
let session: Session;
let parts: McpServerParts;
let clock = Date.parse('2026-01-01T00:00:00Z');
const now = () => clock;
const fronts: McpServer[] = [];

beforeEach(async () => {
  bench = await workbench({ ...serverPackage('older', older), ...serverPackage('newer', newer) }, { now });
  session = await bench.session({ principal: 'alice' });
  parts = partsFor(now);
});

afterEach(async () => {
  for (const it of fronts.splice(0)) it.close();
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

function front(
  holder = 'connection-1',
  principal = 'alice',
  own = session,
  approver: string | null = null,
): McpServer {
  const made = frontFor({ host: bench.host, session: own, principal, holder, parts, approver });
  fronts.push(made);
  return made;
}

const caps = { elicitation: {} };
const blue = { answer: { action: 'accept', content: { color: 'blue' } } };
const rejected = { error: { code: -32602, data: { reason: 'invalid_request_state' } } };
let count = 0;

function send(client: BareClient, name: string, more: object = {}, given: object = {}): Promise<Message> {
  count++;
  return client.request('tools/call', { name, arguments: given, ...envelope(caps), ...more }, count);
}

interface Question {
  readonly resultType: string;
  readonly requestState: string;
  readonly inputRequests: {
    readonly answer: { readonly method: string; readonly params: { readonly message: string } };
  };
}

const questionIn = (message: Message) => message.result as Question;
const ask = async (client: BareClient, name: string) => questionIn(await send(client, name));
const textIn = (message: Message) => (message.result as { content: { text: string }[] }).content[0]?.text;
const seen = async (id: string) => {
  const answer = await session.call({ tool: `${id}/seen`, arguments: {} });
  return answer.status === 'ok' ? answer.result : answer;
};

describe.each(['older', 'newer'])('a question from a server of the %s era', (era) => {
  const tool = `${era}_consult`;

  test('the question is an input_required result, and the answer reaches the same call', async () => {
    const client = new BareClient(front());
    const asked = await ask(client, tool);
    expect(asked.resultType).toBe('input_required');
    expect(asked.inputRequests.answer).toMatchObject({
      method: 'elicitation/create',
      params: {
        message: `The tool ${tool} asks:\n\nWhich color?`,
        requestedSchema: { type: 'object', properties: { color: { type: 'string' } } },
      },
    });
    // The state does not show the client any internal values.
    const body = Buffer.from(asked.requestState, 'base64url').toString();
    expect(body).not.toMatch(/color|mine/);
    const done = await send(client, tool, { requestState: asked.requestState, inputResponses: blue });
    expect(done.result).toMatchObject({ resultType: 'complete' });
    expect(textIn(done)).toBe('accept {"color":"blue"}');
    expect(await seen(era)).toBe('1 calls, 0 canceled');
    const kinds = (await bench.host.auditTail(100)).map((it) => it.kind);
    expect(kinds.filter((it) => it === 'outcome')).toHaveLength(2);
  });

  test.each(['decline', 'cancel'])('the client can answer with %s', async (action) => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    const inputResponses = { answer: { action } };
    expect(textIn(await send(client, tool, { requestState, inputResponses }))).toBe(action);
  });

  test('a question accepts one answer, also when several arrive at once', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    const more = { requestState, inputResponses: blue };
    const all = await Promise.all([1, 2, 3].map(() => send(client, tool, more)));
    expect(all.filter((it) => 'result' in it)).toHaveLength(1);
    expect(await send(client, tool, more)).toMatchObject(rejected);
    // The same without an answer: an invalid state never starts another call.
    expect(await send(client, tool, { requestState })).toMatchObject(rejected);
    expect(await seen(era)).toBe('1 calls, 0 canceled');
  });

  test.each<[string, (state: string) => string]>([
    ['a changed body', (it) => `${it[0] === 'A' ? 'B' : 'A'}${it.slice(1)}`],
    ['a changed tag', (it) => `${it.slice(0, -2)}${it.at(-2) === 'A' ? 'B' : 'A'}${it.slice(-1)}`],
    ['its tag removed', (it) => it.split('.')[0] as string],
    ['100,000 characters', () => 'x'.repeat(100_000)],
  ])('a state with %s is rejected, and the correct state still works', async (_name, change) => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    for (const inputResponses of [blue, {}])
      expect(await send(client, tool, { requestState: change(requestState), inputResponses })).toMatchObject(
        rejected,
      );
    expect(textIn(await send(client, tool, { requestState, inputResponses: blue }))).toContain('blue');
    expect(await seen(era)).toBe('1 calls, 0 canceled');
  });

  test('a state is rejected from another client, another principal, for another call or after a restart', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    const more = { requestState, inputResponses: blue };
    const mallory = await bench.session({ principal: 'mallory' });
    const others = [
      new BareClient(front('connection-2')),
      new BareClient(front('connection-1', 'mallory', mallory)),
      new BareClient(
        frontFor({
          host: bench.host,
          session,
          principal: 'alice',
          holder: 'connection-1',
          parts: partsFor(now),
        }),
      ),
      // The same principal and holder: the state is valid, but the call belongs to another server instance.
      new BareClient(front()),
    ];
    for (const it of others) expect(await send(it, tool, more)).toMatchObject(rejected);
    expect(await send(client, tool, more, { a: 1 })).toMatchObject(rejected);
    expect(await send(client, `${era}_seen`, more)).toMatchObject(rejected);
    expect(textIn(await send(client, tool, more))).toContain('blue');
    expect(await seen(era)).toBe('1 calls, 0 canceled');
  });

  test('a client that sends no valid answer gets the same question again, for the same call', async () => {
    const client = new BareClient(front());
    const first = await ask(client, tool);
    for (const inputResponses of [
      {},
      { answer: {} },
      { other: blue.answer },
      { answer: { action: 'yes' } },
      'x',
    ]) {
      const again = questionIn(
        await send(client, tool, { requestState: first.requestState, inputResponses }),
      );
      expect(again.inputRequests).toEqual(first.inputRequests);
      expect(again.requestState).not.toBe(first.requestState);
    }
    const { requestState } = questionIn(await send(client, tool, { requestState: first.requestState }));
    expect(textIn(await send(client, tool, { requestState, inputResponses: blue }))).toContain('blue');
    // The first state was for the same question, which is answered now.
    const late = { requestState: first.requestState, inputResponses: blue };
    expect(await send(client, tool, late)).toMatchObject(rejected);
    expect(await seen(era)).toBe('1 calls, 0 canceled');
  });

  test('a question times out: the call ends, and a late answer is rejected', async () => {
    parts = { ...parts, waiting: { ...parts.waiting, waitMs: 150 } };
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    await until(async () => (await outcomes()).includes('error'));
    expect(await send(client, tool, { requestState, inputResponses: blue })).toMatchObject(rejected);
    if (era === 'older') await until(async () => (await seen(era)) === '1 calls, 1 canceled');
  });

  test('a state expires', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    clock += 10 * 60_000;
    expect(await send(client, tool, { requestState, inputResponses: blue })).toMatchObject(rejected);
  });

  test('the call ends when the client disconnects', async () => {
    const client = new BareClient(front());
    await ask(client, tool);
    client.leave();
    await until(async () => (await outcomes()).includes('error'));
  });

  test('the kill switch ends the call, and a late answer gets the reason', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    const from = performance.now();
    expect(await bench.host.kills.set(era, 'tester')).toMatchObject({ ended: 1 });
    expect(performance.now() - from).toBeLessThan(2000);
    const late = await send(client, tool, { requestState, inputResponses: blue });
    expect(late.result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'killed' } });
    expect(await send(client, tool, { requestState, inputResponses: blue })).toMatchObject(rejected);
  });

  test('the question is declined if the client does not support elicitation', async () => {
    const client = new BareClient(front());
    const plain = await client.request('tools/call', { name: tool, arguments: {}, ...envelope({}) }, 'plain');
    expect(textIn(plain)).toBe('decline');
  });

  test('the question of a held call comes after the approval', async () => {
    const policy = {
      rules: [
        {
          tool: `${era}/consult`,
          approval: 'ask' as const,
          origin: { kind: 'user' as const, file: '/home/config.toml', line: 1 },
        },
      ],
    };
    const input = { name: 'alice', role: 'agent', expiresAt: null, mayApprove: true, by: 'test' } as const;
    const { id, principal } = (await bench.host.tokens.create(input)).entry;
    const own = await bench.session({ principal, policy });
    for (const kind of ['2025', '2026'] as const) {
      const client = await officialClient(front(`connection-${kind}`, principal, own, id), kind, {
        capabilities: { elicitation: {} },
      });
      const questions: string[] = [];
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        questions.push(params.message.split('\n')[0] as string);
        return questions.length === 1
          ? { action: 'accept', content: { approve: true } }
          : { action: 'accept', content: { color: kind } };
      });
      const { content } = await client.callTool({ name: tool, arguments: {} });
      expect(content).toEqual([{ type: 'text', text: `accept {"color":"${kind}"}` }]);
      expect(questions).toEqual([`Run ${era}/consult?`, `The tool ${tool} asks:`]);
      await client.close();
    }
  });
});

async function outcomes(): Promise<unknown[]> {
  const lines = await bench.host.auditTail(100);
  return lines.flatMap((it) => (it.kind === 'outcome' ? [it.body.status] : []));
}

test.each([
  ['twice', 'accept {"color":"blue"} then decline'],
  ['both', 'accept {"color":"blue"} and decline'],
])('several questions of one call are asked one after the other: %s', async (name, expected) => {
  const client = new BareClient(front());
  const tool = `older_${name}`;
  const first = await ask(client, tool);
  const spare = questionIn(await send(client, tool, { requestState: first.requestState }));
  const second = questionIn(
    await send(client, tool, { requestState: first.requestState, inputResponses: blue }),
  );
  expect(second.resultType).toBe('input_required');
  const answers = { answer: { action: 'decline' } };
  // States of the first question are not valid for the second one.
  for (const { requestState } of [first, spare])
    expect(await send(client, tool, { requestState, inputResponses: answers })).toMatchObject(rejected);
  const last = { requestState: second.requestState, inputResponses: answers };
  expect(textIn(await send(client, tool, last))).toBe(expected);
});

test('a principal can have eight waiting calls over all its connections, and further ones wait in turn', async () => {
  // A server of the older era does not say to which call its question belongs, so this test uses the newer one.
  const clients = [1, 2].map((it) => new BareClient(front(`connection-${it}`)));
  const states: string[] = [];
  for (let at = 0; at < 8; at++)
    states.push((await ask(clients[at % 2] as BareClient, 'newer_consult')).requestState);
  const [first, second] = clients as [BareClient, BareClient];
  const asked: Question[] = [];
  const ninth = ask(second, 'newer_consult').then((it) => asked.push(it));
  const other = new BareClient(front('connection-3', 'bob', await bench.session({ principal: 'bob' })));
  expect((await ask(other, 'newer_consult')).resultType).toBe('input_required');
  expect(asked).toEqual([]);
  // An answer frees a place, and so does a disconnect.
  const done = { requestState: states[0], inputResponses: blue };
  expect(textIn(await send(first, 'newer_consult', done))).toContain('blue');
  await ninth;
  expect(asked[0]?.resultType).toBe('input_required');
  const tenth = ask(second, 'newer_consult');
  // A call that gives up while it waits takes no place.
  const params = { name: 'newer_consult', arguments: {}, ...envelope(caps) };
  second.send({ jsonrpc: '2.0', id: 'gives up', method: 'tools/call', params });
  second.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'gives up' } });
  first.leave();
  await until(() => first.ended);
  expect((await tenth).resultType).toBe('input_required');
  const more = [second, second].map((it) => ask(it, 'newer_consult'));
  expect((await Promise.all(more)).map((it) => it.resultType)).toEqual(['input_required', 'input_required']);
});

test('a server whose call waits in turn when the client leaves is not asked on', async () => {
  const client = new BareClient(front());
  for (let at = 0; at < 8; at++) await ask(client, 'newer_consult');
  const params = { name: 'newer_consult', arguments: {}, ...envelope(caps) };
  client.send({ jsonrpc: '2.0', id: 'ninth', method: 'tools/call', params });
  await until(async () => (await seen('newer')) === '9 calls, 0 canceled');
  client.leave();
  await until(async () => (await outcomes()).filter((it) => it === 'error').length === 9);
  // Their places are free.
  const next = new BareClient(front('connection-2'));
  for (let at = 0; at < 8; at++) expect((await ask(next, 'newer_consult')).resultType).toBe('input_required');
});

test('a question beyond the limit of questions is an error, which nobody takes for an answer of the user', async () => {
  const client = new BareClient(front());
  const answered = async () => {
    const { requestState } = await ask(client, 'newer_consult');
    return textIn(await send(client, 'newer_consult', { requestState, inputResponses: blue }));
  };
  for (let at = 0; at < 30; at++) expect(await answered()).toContain('blue');
  for (const tool of ['newer_consult', 'older_consult']) {
    const beyond = await send(client, tool);
    expect(JSON.stringify(beyond)).toMatch(/asked too often/);
    expect(JSON.stringify(beyond)).not.toMatch(/decline/);
  }
  clock += 11 * 60_000;
  expect(await answered()).toContain('blue');
});

test('questions of a 2025 client that end while they wait in turn give their place to others', async () => {
  const client = new BareClient(front());
  const hello = { protocolVersion: '2025-11-25', capabilities: caps, clientInfo: {} };
  await client.request('initialize', hello, 'hello');
  const call = (id: string) =>
    client.send({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name: 'newer_consult', arguments: {} },
    });
  const open: unknown[] = [];
  for (let at = 0; at < 8; at++) {
    call(`open ${at}`);
    open.push((await client.next((it) => it.method === 'elicitation/create')).id);
  }
  for (let at = 0; at < 8; at++) call(`canceled ${at}`);
  call('last');
  await until(async () => String(await seen('newer')).startsWith('17 calls'));
  for (let at = 0; at < 8; at++)
    client.send({
      ...{ jsonrpc: '2.0', method: 'notifications/cancelled' },
      params: { requestId: `canceled ${at}` },
    });
  for (const id of open) client.send({ jsonrpc: '2.0', id, result: blue.answer });
  const { id } = await client.next((it) => it.method === 'elicitation/create');
  client.send({ jsonrpc: '2.0', id, result: blue.answer });
  expect(textIn(await client.next((it) => it.id === 'last'))).toContain('blue');
});

test('the outcome of a call that ended early is available for a limited time, then its place is free', async () => {
  parts = { ...parts, waiting: { ...parts.waiting, outcomeTtlMs: 150 } };
  const client = new BareClient(front());
  const states: string[] = [];
  for (let at = 0; at < 8; at++) states.push((await ask(client, 'newer_consult')).requestState);
  await bench.host.kills.set('newer', 'tester');
  await bench.host.kills.lift('newer', 'tester');
  // A late answer gets the outcome, but only until it expires.
  const [first, ...rest] = states;
  const outcome = await send(client, 'newer_consult', { requestState: first, inputResponses: blue });
  expect(outcome.result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'killed' } });
  await until(async () => (await ask(client, 'newer_consult')).resultType === 'input_required');
  await until(async () => {
    const late = { requestState: rest.pop(), inputResponses: blue };
    return 'error' in (await send(client, 'newer_consult', late));
  });
});

test('canceling a request that waits for the next question cancels the call', async () => {
  const client = new BareClient(front());
  const { requestState } = await ask(client, 'older_twice');
  // The request with the first answer is canceled before the second question arrives.
  const params = {
    name: 'older_twice',
    arguments: {},
    ...envelope(caps),
    requestState,
    inputResponses: blue,
  };
  client.send({ jsonrpc: '2.0', id: 'later', method: 'tools/call', params });
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'later' } });
  await until(async () => (await seen('older')) === '1 calls, 1 canceled');
  expect(client.received).toEqual([]);
});

test('a server that ends while its question is open ends the call, whose answer gets the failure', async () => {
  const client = new BareClient(front());
  const { requestState } = await ask(client, 'older_consult');
  await send(client, 'older_die');
  const late = await send(client, 'older_consult', { requestState, inputResponses: blue });
  expect(late.result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'upstream_failed' } });
  expect(await send(client, 'older_consult', { requestState, inputResponses: blue })).toMatchObject(rejected);
  // The next call starts it again.
  let again: Question | undefined;
  await until(async () => {
    again = await ask(client, 'older_consult');
    return again.resultType === 'input_required';
  });
  const more = { requestState: again?.requestState, inputResponses: blue };
  expect(textIn(await send(client, 'older_consult', more))).toContain('blue');
});

test('a server that ends while its question is open withdraws the question from a 2025 client', async () => {
  const client = new BareClient(front());
  const hello = { protocolVersion: '2025-11-25', capabilities: caps, clientInfo: {} };
  await client.request('initialize', hello, 'hello');
  const ended = client.request('tools/call', { name: 'older_consult', arguments: {} }, 'call');
  const question = await client.next((it) => it.method === 'elicitation/create');
  await client.request('tools/call', { name: 'older_die', arguments: {} }, 'die');
  const withdrawn = await client.next((it) => it.method === 'notifications/cancelled');
  expect(withdrawn).toMatchObject({ params: { requestId: question.id } });
  expect(await ended).toMatchObject({
    result: { isError: true, _meta: { 'toolwharf/code': 'upstream_failed' } },
  });
});

test('an answer with a secret of another package does not reach the server', async () => {
  const value = ['planted', 'value', '8f3a61'].join('-');
  await bench.host.secrets.set({
    package: 'other',
    slot: 'KEY',
    value,
    audience: { kind: 'hosts', hosts: ['api.example.com'] },
    by: 'test',
  });
  const client = new BareClient(front());
  const { requestState } = await ask(client, 'older_consult');
  const inputResponses = { answer: { action: 'accept', content: { color: `it is ${value}` } } };
  const answer = await send(client, 'older_consult', { requestState, inputResponses });
  expect(textIn(answer)).toBe('decline');
  expect(JSON.stringify(answer)).toContain('an answer to its question was withheld');
  // Control: without the secret, the same answer reaches the server.
  await bench.host.secrets.unset('other', 'KEY', 'test');
  const again = await ask(client, 'older_consult');
  const control = await send(client, 'older_consult', { requestState: again.requestState, inputResponses });
  expect(textIn(control)).toContain(value);
});

test('a question to a 2025 client is withdrawn when its call ends', async () => {
  const client = new BareClient(front());
  const hello = { protocolVersion: '2025-11-25', capabilities: caps, clientInfo: {} };
  await client.request('initialize', hello, 'hello');
  const ended = client.request('tools/call', { name: 'newer_consult', arguments: {} }, 'call');
  const question = await client.next((it) => it.method === 'elicitation/create');
  await bench.host.kills.set('newer', 'tester');
  expect(await client.next((it) => it.method === 'notifications/cancelled')).toMatchObject({
    params: { requestId: question.id },
  });
  expect(await ended).toMatchObject({ result: { isError: true, _meta: { 'toolwharf/code': 'killed' } } });
});
