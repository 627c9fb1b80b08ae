// Invalid input, and many clients at once: every request gets its own answer, and the server keeps working.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../../src/index.js';
import type { McpServer } from '../../../../src/serve/mcp/server.js';
import { BareClient, bugs, envelope, frontFor, type Message } from '../../../support/mcp-wire.js';
import { patchTool, until } from '../../../support/toolwharf.js';
import { talos, type Workbench, workbench } from '../../../support/workbench.js';

let bench: Workbench;
let session: Session;
const fronts: McpServer[] = [];

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

describe('a line that is not a valid message', () => {
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
  ])('line %# gets an error, and the connection still works', async (line, code) => {
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

  test('notifications are never answered, even with invalid params', async () => {
    const client = new BareClient(front());
    await client.request('initialize', old);
    for (const params of [undefined, [], 7, { requestId: {} }, { requestId: '__proto__' }, { __proto__: 1 }])
      for (const method of ['notifications/cancelled', 'notifications/initialized', 'tools/call', 'x'])
        client.send({ jsonrpc: '2.0', method, params });
    await alive(client);
    expect(client.received).toEqual([]);
  });

  test('a batch is accepted only in the revision that has batches', async () => {
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

describe('names of JavaScript properties', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is treated like any other name',
    async (name) => {
      const client = new BareClient(front());
      await client.request('initialize', old);
      expect(codeOf(await client.request(name, {}, 2))).toBe(-32601);
      expect(codeOf(await client.request('tools/call', { name }, 3))).toBe(-32602);
      expect(codeOf(await client.request('prompts/get', { name }, 4))).toBe(-32602);
      expect(codeOf(await client.request('resources/read', { uri: name }, 5))).toBe(-32602);
    },
  );

  test('such names in arguments are only data for the tool', async () => {
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

test('a line that is too long ends the connection with an error', async () => {
  const client = new BareClient(front());
  await client.request('initialize', old);
  client.send('x'.repeat(17 * 1024 * 1024));
  expect(codeOf(await client.next((it) => 'error' in it))).toBe(-32700);
  await until(() => client.ended);
});

test('an id that is already in use is rejected in both eras, and the first request continues', async () => {
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

test('100 clients use the same ids, and each gets its own answers', async () => {
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

test('many changes are combined into few notifications, sent only to subscribed clients', async () => {
  const older = new BareClient(front());
  await older.request('initialize', old);
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
  const unsubscribed = new BareClient(front());
  await unsubscribed.request('tools/list', envelope());
  const began = performance.now();
  for (let at = 0; at < 200; at++) await bench.host.switches.set('echo', at % 2 === 1, 'me');
  await until(() => older.received.length >= 3 && listening.received.length >= 1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // Three lists, at most ten times a second.
  const rounds = (performance.now() - began) / 100 + 2;
  expect(older.received.length).toBeLessThan(Math.min(3 * rounds, 3 * 200));
  expect(new Set(older.received.map((it) => it.method))).toEqual(
    new Set(['tools', 'prompts', 'resources'].map((it) => `notifications/${it}/list_changed`)),
  );
  expect(new Set(listening.received.map((it) => it.method))).toEqual(
    new Set(['notifications/tools/list_changed']),
  );
  expect(unsubscribed.received).toEqual([]);
  // A canceled subscription gets no more notifications.
  listening.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'sub' } });
  await listening.request('tools/list', envelope(), 2);
  listening.received.splice(0);
  await bench.host.switches.set('echo', false, 'me');
  await bench.host.switches.set('echo', true, 'me');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(listening.received).toEqual([]);
});

test('the number of subscriptions is limited, and closing the server ends them', async () => {
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

test('server/discover does not bind a client to the newer era', async () => {
  const client = new BareClient(front());
  expect(await client.request('server/discover', envelope())).toMatchObject({
    result: { resultType: 'complete', supportedVersions: ['2026-07-28'], cacheScope: 'private' },
  });
  expect(await client.request('initialize', old, 2)).toMatchObject({
    result: { protocolVersion: '2025-11-25' },
  });
  await alive(client);
});

test('a client sees only the packages of its own session', async () => {
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
