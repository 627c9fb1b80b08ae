// Input that no client should send, and many clients at once: every request gets its answer, nobody else's, and
// nothing falls over.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../src/index.js';
import type { Front } from '../src/serve/mcp/front.js';
import { BareClient, bugs, envelope, frontFor, type Message } from './mcp-wire.js';
import { patchTool, until } from './toolwharf.js';
import { talos, type Workbench, workbench } from './workbench.js';

let bench: Workbench;
let session: Session;
const fronts: Front[] = [];

const front = (of: Session = session) => {
  const made = frontFor({ host: bench.host, session: of });
  fronts.push(made);
  return made;
};

beforeAll(async () => {
  bench = await workbench({
    'count.py': patchTool({ name: 'count' }),
    ...talos({
      id: 'echo',
      functions: ['say', 'wait'],
      code: 'export const say = (given) => given;\nexport const wait = () => new Promise(() => {});\n',
    }),
  });
  session = await bench.session();
});

afterAll(async () => {
  for (const it of fronts) it.close();
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

const old = { protocolVersion: '2025-11-25', capabilities: {} };
const codeOf = (message: Message) => (message.error as { code: number } | undefined)?.code;
const alive = async (client: BareClient) =>
  expect(await client.request('ping', {}, 'alive')).toHaveProperty('result');

describe('a line that is no message', () => {
  test.each([
    ['{', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"', -32700],
    ['\u0000', -32700],
    ['7', -32600],
    ['"text"', -32600],
    ['[]', -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['{"id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}', -32602],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, -32600],
  ])('%# is answered and forgotten', async (line, code) => {
    for (const opening of [
      { method: 'initialize', params: old },
      { method: 'tools/list', params: envelope() },
    ]) {
      const client = new BareClient(front());
      await client.request(opening.method, opening.params, 'first');
      client.send(line);
      expect(codeOf(await client.next((it) => 'error' in it))).toBe(code);
      expect(await client.request(opening.method, opening.params, 'again')).toHaveProperty('result');
      client.leave();
    }
  });

  test('notifications are never answered, whatever is in them', async () => {
    const client = new BareClient(front());
    await client.request('initialize', old);
    for (const params of [undefined, [], 7, { requestId: {} }, { requestId: '__proto__' }, { __proto__: 1 }])
      for (const method of ['notifications/cancelled', 'notifications/initialized', 'tools/call', 'x'])
        client.send({ jsonrpc: '2.0', method, params });
    await alive(client);
    expect(client.received).toEqual([]);
  });

  test('a batch is for the one revision that has it', async () => {
    const client = new BareClient(front());
    await client.request('initialize', { ...old, protocolVersion: '2025-03-26' });
    const line = (many: number) =>
      JSON.stringify(Array.from({ length: many }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    client.send(line(3));
    expect(await client.next((it) => Array.isArray(it))).toHaveLength(3);
    client.send(line(65));
    expect(codeOf(await client.next((it) => 'error' in it))).toBe(-32600);
    await alive(client);
  });
});

describe('names and members of the language', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is nothing special',
    async (name) => {
      const client = new BareClient(front());
      await client.request('initialize', old);
      expect(codeOf(await client.request(name, {}, 2))).toBe(-32601);
      expect(codeOf(await client.request('tools/call', { name }, 3))).toBe(-32602);
      expect(codeOf(await client.request('prompts/get', { name }, 4))).toBe(-32602);
      expect(codeOf(await client.request('resources/read', { uri: name }, 5))).toBe(-32602);
    },
  );

  test('reach the tool as data and change nothing else', async () => {
    const client = new BareClient(front());
    await client.request('initialize', old);
    client.send(
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo_say","__proto__":{"admin":true},"arguments":{"__proto__":{"polluted":true},"a":1}},"extra":{}}',
    );
    expect(await client.next((it) => it.id === 2)).toHaveProperty('result');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});

test('a line without end is the end of the connection, with the reason', async () => {
  const client = new BareClient(front());
  await client.request('initialize', old);
  client.send('x'.repeat(17 * 1024 * 1024));
  expect(codeOf(await client.next((it) => 'error' in it))).toBe(-32700);
  await until(() => client.ended);
});

test('an id that is under way is refused, in both eras, and the first request goes on', async () => {
  for (const more of [{}, envelope()]) {
    const client = new BareClient(front());
    if (!('_meta' in more)) await client.request('initialize', old, 'first');
    const call = (name: string) => ({
      jsonrpc: '2.0',
      id: 5,
      method: 'tools/call',
      params: { name, arguments: {}, ...more },
    });
    client.send(call('echo_wait'));
    client.send(call('echo_say'));
    expect(await client.next((it) => it.id === 5)).toMatchObject({ error: { code: -32600 } });
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    client.send({ ...call('echo_say'), id: 6 });
    expect(await client.next((it) => it.id === 6)).toHaveProperty('result');
    expect(client.received).toEqual([]);
    client.leave();
  }
});

test('a hundred clients use the same ids, and each gets its own answers', async () => {
  const clients = Array.from({ length: 100 }, () => new BareClient(front()));
  await Promise.all(
    clients.map(async (client, index) => {
      const more = index % 2 === 0 ? {} : envelope();
      if (index % 2 === 0) await client.request('initialize', old, 0);
      const answers = await Promise.all(
        [1, 2, 3].map((id) =>
          client.request(
            'tools/call',
            { name: 'echo_say', arguments: { mine: `${index}-${id}` }, ...more },
            id,
          ),
        ),
      );
      for (const [at, answer] of answers.entries())
        expect(JSON.stringify(answer.result)).toContain(`${index}-${at + 1}`);
      expect(client.received).toEqual([]);
      client.leave();
    }),
  );
});

test('a storm of changes is a few messages, and only to those who want them', async () => {
  const told = new BareClient(front());
  await told.request('initialize', old);
  const listening = new BareClient(front());
  const wanted = { notifications: { toolsListChanged: true, resourceSubscriptions: ['a'], other: 1 } };
  listening.send({
    jsonrpc: '2.0',
    id: 'sub',
    method: 'subscriptions/listen',
    params: { ...wanted, ...envelope() },
  });
  expect(
    await listening.next((it) => it.method === 'notifications/subscriptions/acknowledged'),
  ).toMatchObject({
    params: {
      notifications: { toolsListChanged: true },
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' },
    },
  });
  const deaf = new BareClient(front());
  await deaf.request('tools/list', envelope());
  const began = performance.now();
  for (let at = 0; at < 200; at++) await bench.host.switches.set('echo', at % 2 === 1, 'me');
  await until(() => told.received.length >= 3 && listening.received.length >= 1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // Three lists, ten times a second at most, however long the storm took.
  const rounds = (performance.now() - began) / 100 + 2;
  expect(told.received.length).toBeLessThan(Math.min(3 * rounds, 3 * 200));
  expect(new Set(told.received.map((it) => it.method))).toEqual(
    new Set(['tools', 'prompts', 'resources'].map((it) => `notifications/${it}/list_changed`)),
  );
  expect(new Set(listening.received.map((it) => it.method))).toEqual(
    new Set(['notifications/tools/list_changed']),
  );
  expect(deaf.received).toEqual([]);
  // What was given up is silent from then on.
  listening.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'sub' } });
  await listening.request('tools/list', envelope(), 2);
  listening.received.splice(0);
  await bench.host.switches.set('echo', false, 'me');
  await bench.host.switches.set('echo', true, 'me');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(listening.received).toEqual([]);
});

test('subscriptions are bounded, and end with the front', async () => {
  const own = front();
  const client = new BareClient(own);
  const listen = (id: number) =>
    client.send({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, ...envelope() },
    });
  for (let id = 1; id <= 17; id++) listen(id);
  expect(codeOf(await client.next((it) => it.id === 17))).toBe(-32603);
  own.close();
  expect(await client.next((it) => it.id === 16)).toMatchObject({
    result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 16 } },
  });
});

test('asking what is spoken does not bind a client to the newer era', async () => {
  const client = new BareClient(front());
  expect(await client.request('server/discover', envelope())).toMatchObject({
    result: { resultType: 'complete', supportedVersions: ['2026-07-28'], cacheScope: 'private' },
  });
  expect(await client.request('initialize', old, 2)).toMatchObject({
    result: { protocolVersion: '2025-11-25' },
  });
  await alive(client);
});

test('two clients with other packages see their own only', async () => {
  const mine = await bench.session({ policy: { only: ['count'] } });
  const [one, two] = [new BareClient(front(mine)), new BareClient(front())];
  for (const client of [one, two]) await client.request('initialize', old);
  const names = async (client: BareClient) =>
    ((await client.request('tools/list', {}, 2)).result as { tools: { name: string }[] }).tools.map(
      (it) => it.name,
    );
  expect(await names(one)).toEqual(['count', 'patch_confirm_action']);
  expect(await names(two)).toContain('echo_say');
  expect(await one.request('tools/call', { name: 'echo_say', arguments: {} }, 3)).not.toMatchObject({
    result: { structuredContent: {} },
  });
});
