// What a server behind us asks while it is called, put to the person at a 2026 client: the call stays under way, and the
// answer comes with another request. What was handed out for one question is good for nothing else.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../src/index.js';
import type { Front, FrontParts } from '../src/serve/mcp/front.js';
import { serverPackage } from './attacks/server-package.js';
import { BareClient, bugs, envelope, frontFor, type Message, officialClient, partsFor } from './mcp-wire.js';
import { until } from './toolwharf.js';
import { type Workbench, workbench } from './workbench.js';

const form = `{ message: 'Which color?', requestedSchema: { type: 'object', properties: { color: { type: 'string' } } } }`;

/** Of the older era: it asks its client with requests of its own. `seen` tells how often what happened. */
const older = `
let asked = 0, calls = 0, givenUp = 0;
const waiting = new Map();
const ask = (done) => {
  const id = 'q' + asked++;
  waiting.set(id, done);
  write({ id, method: 'elicitation/create', params: ${form} });
};
const said = ({ action, content }) => content === undefined ? action : action + ' ' + JSON.stringify(content);
const text = (id, words) => write({ id, result: { content: [{ type: 'text', text: words }] } });
const tools = ['consult', 'twice', 'both', 'seen'].map((name) => ({ name, description: 'Goes.', inputSchema: { type: 'object' } }));
on = {
  'tools/list': () => ({ tools }),
  response: ({ id, result }) => { waiting.get(id)(result); waiting.delete(id); },
  notification: ({ method }) => { if (method === 'notifications/cancelled') givenUp++; },
  'tools/call': ({ name }, id) => {
    if (name === 'seen') return { content: [{ type: 'text', text: calls + ' calls, ' + givenUp + ' given up' }] };
    calls++;
    if (name === 'consult') ask((a) => text(id, said(a)));
    if (name === 'twice') ask((a) => ask((b) => text(id, said(a) + ' then ' + said(b))));
    if (name === 'both') { const all = []; for (const it of [0, 1]) ask((a) => { all.push(said(a)); if (all.length === 2) text(id, all.join(' and ')); }); }
  },
};`;

/** Of the newer era: its question is a result, and nothing of it is under way in between. */
const newer = `
let calls = 0;
const tools = ['consult', 'seen'].map((name) => ({ name, description: 'Goes.', inputSchema: { type: 'object' } }));
const text = (words) => ({ resultType: 'complete', content: [{ type: 'text', text: words }] });
on = {
  'server/discover': () => ({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
  'tools/list': () => ({ resultType: 'complete', tools }),
  'tools/call': ({ name, inputResponses, requestState }) => {
    if (name === 'seen') return text(calls + ' calls, 0 given up');
    const answer = requestState === 'mine' ? inputResponses?.color : undefined;
    if (answer === undefined) {
      calls++;
      return { resultType: 'input_required', inputRequests: { color: { method: 'elicitation/create', params: ${form} } }, requestState: 'mine' };
    }
    return text(answer.content === undefined ? answer.action : answer.action + ' ' + JSON.stringify(answer.content));
  },
};`;

let bench: Workbench;
let session: Session;
let parts: FrontParts;
let clock = Date.parse('2026-01-01T00:00:00Z');
const now = () => clock;
const fronts: Front[] = [];

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

function front(holder = 'connection-1', principal = 'alice', own = session): Front {
  const made = frontFor({ host: bench.host, session: own, principal, holder, parts });
  fronts.push(made);
  return made;
}

const caps = { elicitation: {} };
const blue = { answer: { action: 'accept', content: { color: 'blue' } } };
const refused = { error: { code: -32602, data: { reason: 'invalid_request_state' } } };
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

describe.each(['older', 'newer'])('a question of a server of the %s era', (era) => {
  const tool = `${era}_consult`;

  test('is a result that asks, and the answer reaches the same call', async () => {
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
    // It is not known to the client by anything that the client could make up.
    const body = Buffer.from(asked.requestState, 'base64url').toString();
    expect(body).not.toMatch(/color|mine/);
    const done = await send(client, tool, { requestState: asked.requestState, inputResponses: blue });
    expect(done.result).toMatchObject({ resultType: 'complete' });
    expect(textIn(done)).toBe('accept {"color":"blue"}');
    expect(await seen(era)).toBe('1 calls, 0 given up');
    const kinds = (await bench.host.auditTail(100)).map((it) => it.kind);
    expect(kinds.filter((it) => it === 'outcome')).toHaveLength(2);
  });

  test.each(['decline', 'cancel'])('is answered with %s', async (action) => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    const inputResponses = { answer: { action } };
    expect(textIn(await send(client, tool, { requestState, inputResponses }))).toBe(action);
  });

  test('is answered once, also at the same moment', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    const more = { requestState, inputResponses: blue };
    const all = await Promise.all([1, 2, 3].map(() => send(client, tool, more)));
    expect(all.filter((it) => 'result' in it)).toHaveLength(1);
    expect(await send(client, tool, more)).toMatchObject(refused);
    // Without an answer, too: a state that is no good is never the beginning of another call.
    expect(await send(client, tool, { requestState })).toMatchObject(refused);
    expect(await seen(era)).toBe('1 calls, 0 given up');
  });

  test.each<[string, (state: string) => string]>([
    ['a changed body', (it) => `${it[0] === 'A' ? 'B' : 'A'}${it.slice(1)}`],
    ['a changed tag', (it) => `${it.slice(0, -2)}${it.at(-2) === 'A' ? 'B' : 'A'}${it.slice(-1)}`],
    ['no tag', (it) => it.split('.')[0] as string],
    ['something long', () => 'x'.repeat(100_000)],
  ])('is not answered with %s, and the right state still works', async (_name, change) => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    for (const inputResponses of [blue, {}])
      expect(await send(client, tool, { requestState: change(requestState), inputResponses })).toMatchObject(
        refused,
      );
    expect(textIn(await send(client, tool, { requestState, inputResponses: blue }))).toContain('blue');
    expect(await seen(era)).toBe('1 calls, 0 given up');
  });

  test('is not answered from another client, by another caller, for another call or after a restart', async () => {
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
      // The same caller under the same name: the state is good, and the call is not one of this front.
      new BareClient(front()),
    ];
    for (const it of others) expect(await send(it, tool, more)).toMatchObject(refused);
    expect(await send(client, tool, more, { a: 1 })).toMatchObject(refused);
    expect(await send(client, `${era}_seen`, more)).toMatchObject(refused);
    expect(textIn(await send(client, tool, more))).toContain('blue');
    expect(await seen(era)).toBe('1 calls, 0 given up');
  });

  test('is put again to a client that brings no answer, for the same call', async () => {
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
    // The one before was for the same question, and that has its answer.
    const late = { requestState: first.requestState, inputResponses: blue };
    expect(await send(client, tool, late)).toMatchObject(refused);
    expect(await seen(era)).toBe('1 calls, 0 given up');
  });

  test('runs out: the call ends, and the answer comes too late', async () => {
    parts = { ...parts, waiting: { ...parts.waiting, waitMs: 150 } };
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    await until(async () => (await outcomes()).includes('error'));
    expect(await send(client, tool, { requestState, inputResponses: blue })).toMatchObject(refused);
    if (era === 'older') await until(async () => (await seen(era)) === '1 calls, 1 given up');
  });

  test('its state runs out by the clock', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    clock += 10 * 60_000;
    expect(await send(client, tool, { requestState, inputResponses: blue })).toMatchObject(refused);
  });

  test('ends with a client that goes', async () => {
    const client = new BareClient(front());
    await ask(client, tool);
    client.leave();
    await until(async () => (await outcomes()).includes('error'));
  });

  test('ends with the kill switch, and whoever comes back for it is told', async () => {
    const client = new BareClient(front());
    const { requestState } = await ask(client, tool);
    const from = performance.now();
    expect(await bench.host.kills.set(era, 'tester')).toMatchObject({ ended: 1 });
    expect(performance.now() - from).toBeLessThan(2000);
    const told = await send(client, tool, { requestState, inputResponses: blue });
    expect(told.result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'killed' } });
    expect(await send(client, tool, { requestState, inputResponses: blue })).toMatchObject(refused);
  });

  test('is declined where a client cannot show it', async () => {
    const client = new BareClient(front());
    const plain = await client.request('tools/call', { name: tool, arguments: {}, ...envelope({}) }, 'plain');
    expect(textIn(plain)).toBe('decline');
  });

  test('comes after somebody agreed to a call that was held', async () => {
    const policy = {
      rules: [
        {
          tool: `${era}/consult`,
          approval: 'ask' as const,
          origin: { kind: 'user' as const, file: '/home/config.toml', line: 1 },
        },
      ],
    };
    const own = await bench.session({ principal: 'alice', policy });
    for (const kind of ['2025', '2026'] as const) {
      const client = await officialClient(front(`connection-${kind}`, 'alice', own), kind, {
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
])('questions of one call are put one after the other: %s', async (name, words) => {
  const client = new BareClient(front());
  const tool = `older_${name}`;
  const first = await ask(client, tool);
  const spare = questionIn(await send(client, tool, { requestState: first.requestState }));
  const second = questionIn(
    await send(client, tool, { requestState: first.requestState, inputResponses: blue }),
  );
  expect(second.resultType).toBe('input_required');
  const answers = { answer: { action: 'decline' } };
  // What was handed out for the first question, and not used, is no answer to the second.
  for (const { requestState } of [first, spare])
    expect(await send(client, tool, { requestState, inputResponses: answers })).toMatchObject(refused);
  const last = { requestState: second.requestState, inputResponses: answers };
  expect(textIn(await send(client, tool, last))).toBe(words);
});

test('a caller has eight calls that wait for a person, over all its connections; another caller has its own', async () => {
  // A server of the older era does not say which call it asks for, so these are of the newer one.
  const clients = [1, 2].map((it) => new BareClient(front(`connection-${it}`)));
  const states: string[] = [];
  for (let at = 0; at < 8; at++)
    states.push((await ask(clients[at % 2] as BareClient, 'newer_consult')).requestState);
  const [first, second] = clients as [BareClient, BareClient];
  expect(textIn(await send(second, 'newer_consult'))).toBe('decline');
  const other = new BareClient(front('connection-3', 'bob', await bench.session({ principal: 'bob' })));
  expect((await ask(other, 'newer_consult')).resultType).toBe('input_required');
  // An answer frees a place, and so does a client that goes.
  const done = { requestState: states[0], inputResponses: blue };
  expect(textIn(await send(first, 'newer_consult', done))).toContain('blue');
  expect((await ask(second, 'newer_consult')).resultType).toBe('input_required');
  expect(textIn(await send(second, 'newer_consult'))).toBe('decline');
  first.leave();
  await until(() => first.ended);
  expect((await ask(second, 'newer_consult')).resultType).toBe('input_required');
});

test('what came of a call that ended meanwhile is kept for a moment, and its place is free then', async () => {
  parts = { ...parts, waiting: { ...parts.waiting, keptMs: 150 } };
  const client = new BareClient(front());
  const states: string[] = [];
  for (let at = 0; at < 8; at++) states.push((await ask(client, 'newer_consult')).requestState);
  await bench.host.kills.set('newer', 'tester');
  await bench.host.kills.lift('newer', 'tester');
  // It answers with what became of it as long as that is kept, and not after.
  const [first, ...rest] = states;
  const told = await send(client, 'newer_consult', { requestState: first, inputResponses: blue });
  expect(told.result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'killed' } });
  await until(async () => (await ask(client, 'newer_consult')).resultType === 'input_required');
  await until(async () => {
    const late = { requestState: rest.pop(), inputResponses: blue };
    return 'error' in (await send(client, 'newer_consult', late));
  });
});

test('a request that is given up while it waits for more gives up the call', async () => {
  const client = new BareClient(front());
  const { requestState } = await ask(client, 'older_twice');
  // The second question is not waited for: the request that brings the first answer is canceled first.
  const params = {
    name: 'older_twice',
    arguments: {},
    ...envelope(caps),
    requestState,
    inputResponses: blue,
  };
  client.send({ jsonrpc: '2.0', id: 'later', method: 'tools/call', params });
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'later' } });
  await until(async () => (await seen('older')) === '1 calls, 1 given up');
  expect(client.received).toEqual([]);
});

test('a secret of another package does not reach a server as an answer, whoever gives it', async () => {
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
  const told = await send(client, 'older_consult', { requestState, inputResponses });
  expect(textIn(told)).toBe('decline');
  expect(JSON.stringify(told)).toContain('an answer to what it asked was kept from it');
  // The control: without the value in the vault the same answer arrives.
  await bench.host.secrets.unset('other', 'KEY', 'test');
  const again = await ask(client, 'older_consult');
  const control = await send(client, 'older_consult', { requestState: again.requestState, inputResponses });
  expect(textIn(control)).toContain(value);
});

test('a question to a 2025 client is withdrawn when its call ends', async () => {
  const client = new BareClient(front());
  const hello = { protocolVersion: '2025-11-25', capabilities: caps, clientInfo: {} };
  await client.request('initialize', hello, 'hello');
  const told = client.request('tools/call', { name: 'newer_consult', arguments: {} }, 'call');
  const question = await client.next((it) => it.method === 'elicitation/create');
  await bench.host.kills.set('newer', 'tester');
  expect(await client.next((it) => it.method === 'notifications/cancelled')).toMatchObject({
    params: { requestId: question.id },
  });
  expect(await told).toMatchObject({ result: { isError: true, _meta: { 'toolwharf/code': 'killed' } } });
});
