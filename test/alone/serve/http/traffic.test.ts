// Heavy traffic, slow traffic and broken connections. No answer reaches another client, and no call continues
// after its client is gone.
import { Agent } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type HttpBench,
  httpBench,
  modern,
  type ReceivedResponse,
  rawRequest,
  request,
} from '../../../support/http-bench.js';
import { pause, running } from '../../../support/processes.js';
import { until } from '../../../support/toolwharf.js';

const both = { accept: 'application/json, text/event-stream' };
const ask = (method: string, params: object = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const initialize = ask('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
});

const open: HttpBench[] = [];
async function own(limits: Parameters<typeof httpBench>[0]): Promise<HttpBench> {
  const made = await httpBench(limits);
  open.push(made);
  return made;
}
afterEach(async () => {
  for (const it of open.splice(0)) await it.close();
});

let home: HttpBench;
beforeAll(async () => {
  home = await httpBench();
});
afterAll(() => home.close());

describe('slow clients', () => {
  const head = (port: number, token: string, length: number) =>
    `POST /api/v1/call HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;
  const body = '{"tool":"no_such/tool"}';

  test('a client that sends its headers too slowly is cut off', async () => {
    const { port } = await own({ headersMs: 400, requestMs: 5000 });
    const begun = performance.now();
    const { socket, closed } = rawRequest(port, 'GET /health HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('X-More: x\r\n'), 100);
    expect(await closed).toMatch(/^HTTP\/1.1 408 /);
    clearInterval(drip);
    expect(performance.now() - begun).toBeLessThan(4000);
    // The same speed is fine with a longer limit.
    const slower = await own({ headersMs: 5000 });
    const calm = rawRequest(slower.port, 'GET /health HTTP/1.1\r\nConnection: close\r\n');
    await pause(700);
    calm.socket.write(`Host: 127.0.0.1:${slower.port}\r\n\r\n`);
    expect(await calm.closed).toMatch(/^HTTP\/1.1 200 /);
  });

  test('a client that sends its body too slowly is cut off', async () => {
    const { port, agent } = await own({ headersMs: 400, requestMs: 600 });
    const begun = performance.now();
    const { socket, closed } = rawRequest(port, head(port, agent, 10_000));
    const drip = setInterval(() => socket.write(' '), 100);
    expect(await closed).toMatch(/^HTTP\/1.1 408 /);
    clearInterval(drip);
    expect(performance.now() - begun).toBeLessThan(4000);
    const slower = await own({ requestMs: 15_000 });
    const calm = rawRequest(slower.port, head(slower.port, slower.agent, body.length));
    await pause(900);
    calm.socket.write(body);
    expect(await calm.closed).toMatch(/^HTTP\/1.1 404 [\s\S]*tool_not_found/);
  });

  test('a client that does not read its answer is cut off, and one that reads gets all of it', async () => {
    const { port, agent, answers } = await own({ readMs: 500 });
    const large = JSON.stringify({ tool: 'long', arguments: { text: '8000000' } });
    const read = await request(port, '/api/v1/call', { token: agent, body: large });
    expect(read.json.result.text).toHaveLength(8_000_000);
    const socket = createConnection(port, '127.0.0.1');
    let cut = false;
    socket.on('error', () => {});
    socket.once('close', () => {
      cut = true;
    });
    socket.write(head(port, agent, large.length) + large);
    // The output scan of a large answer takes some time.
    await until(() => answers.length === 2, 60_000);
    await pause(1500);
    // The kernel buffers can still be read; then the connection ends before the answer does.
    let size = 0;
    socket.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    await until(() => cut);
    expect(size).toBeLessThan(8_000_000);
  });
});

test('a thousand silent connections do not block other clients, and are closed', async () => {
  const { port, agent, operator } = await own({ headersMs: 2000 });
  const idle = await Promise.all(
    Array.from(
      { length: 1000 },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = createConnection(port, '127.0.0.1', () => resolve(socket));
          socket.once('error', reject);
        }),
    ),
  );
  let closed = 0;
  for (const it of idle) {
    it.on('error', () => {});
    it.once('close', () => closed++);
    it.resume();
  }
  const body = { tool: 'word_count', arguments: { text: 'a b' } };
  const called = await request(port, '/api/v1/call', { token: agent, body });
  expect(called.json.result).toEqual({ words: 2 });
  const { text } = await request(port, '/metrics', { token: operator });
  const counted = Number(/^toolwharf_http_connections (\d+)$/m.exec(text)?.[1]);
  expect(counted + closed).toBeGreaterThan(1000);
  await until(() => closed === 1000, 20_000);
});

test('connections over the limit are not answered until others end', async () => {
  const { port } = await own({ connections: 5 });
  const kept = Array.from({ length: 5 }, () => rawRequest(port, ''));
  await until(async () => {
    const more = await request(port, '/health').catch(() => undefined);
    return more === undefined;
  });
  for (const it of kept) it.socket.destroy();
  await until(async () => (await request(port, '/health').catch(() => undefined))?.status === 200);
});

test('a token has a limited number of running requests', async () => {
  const { port, agent, operator } = await own({ requestsPerToken: 2 });
  const gone = new AbortController();
  const body = { tool: 'sleep', arguments: { text: '30' } };
  const long = [1, 2].map(() =>
    request(port, '/api/v1/call', { token: agent, body, signal: gone.signal }).catch(() => 'gone'),
  );
  await until(async () => (await request(port, '/api/v1/tools', { token: agent })).status === 429);
  expect((await request(port, '/api/v1/tools', { token: operator })).status).toBe(200);
  gone.abort();
  expect(await Promise.all(long)).toEqual(['gone', 'gone']);
  await until(async () => (await request(port, '/api/v1/tools', { token: agent })).status === 200);
});

/** The answer of a 2025 session: a slow one is a stream. */
const answerIn = ({ json, text }: ReceivedResponse) =>
  json ?? JSON.parse([...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] as string);

describe('a hundred clients that use the same request ids', () => {
  const count = (n: number) => ({ name: 'word_count', arguments: { text: 'w '.repeat(n) } });

  test('with 2026-07-28 each request gets its own answer', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const { headers, body } = modern('tools/call', count(n), 7);
        return (await home.request('/mcp', { headers, body, agent })).json;
      }),
    );
    agent.destroy();
    for (const [n, it] of answers.entries())
      expect(it).toMatchObject({ id: 7, result: { structuredContent: { words: n } } });
  });

  test('with 2025-11-25 a duplicate request id is rejected only within one session', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const begun = await home.request('/mcp', { body: initialize, headers: both, agent });
        const headers = { ...both, 'mcp-session-id': begun.headers['mcp-session-id'] as string };
        return answerIn(await home.request('/mcp', { body: ask('tools/call', count(n), 7), headers, agent }));
      }),
    );
    agent.destroy();
    for (const [n, it] of answers.entries())
      expect(it).toMatchObject({ id: 7, result: { structuredContent: { words: n } } });
    const begun = await home.request('/mcp', { body: initialize, headers: both });
    const headers = { ...both, 'mcp-session-id': begun.headers['mcp-session-id'] as string };
    const slow = home.request('/mcp', {
      body: ask('tools/call', { name: 'sleep', arguments: { text: '2' } }, 7),
      headers,
    });
    await until(async () => {
      const second = await home.request('/mcp', { body: ask('ping', {}, 7), headers });
      return second.json.error?.code === -32600;
    });
    expect(answerIn(await slow).result.structuredContent).toEqual({ slept: '2' });
  });
});

describe('a client that disconnects during a call cancels the call', () => {
  const sleep = { name: 'sleep', arguments: { text: '50' } };
  const cases: [string, () => Promise<{ path: string; headers?: Record<string, string>; body: unknown }>][] =
    [
      ['API', async () => ({ path: '/api/v1/call', body: { tool: 'sleep', arguments: sleep.arguments } })],
      ['MCP 2026', async () => ({ path: '/mcp', ...modern('tools/call', sleep) })],
      [
        'MCP 2026 with progress',
        async () => {
          const { headers, body } = modern('tools/call', sleep) as unknown as {
            headers: Record<string, string>;
            body: { params: { _meta: object } };
          };
          body.params._meta = { ...body.params._meta, progressToken: 'p' };
          return { path: '/mcp', headers, body };
        },
      ],
      [
        'MCP 2025 without a session',
        async () => ({ path: '/mcp', headers: both, body: ask('tools/call', sleep) }),
      ],
      [
        // A client that reads streams can come back: see test/parallel/serve/http/resumed-streams.test.ts.
        'MCP 2025 with a session and without streams',
        async () => {
          const begun = await home.request('/mcp', { body: initialize, headers: both });
          const session = { 'mcp-session-id': begun.headers['mcp-session-id'] as string };
          const headers = { ...session, accept: 'application/json' };
          return { path: '/mcp', headers, body: ask('tools/call', sleep) };
        },
      ],
    ];
  test.each(cases)('the call is canceled: %s', async (_name, make) => {
    const { path, headers = {}, body } = await make();
    const gone = new AbortController();
    const before = home.answers.length;
    const calling = home.request(path, { headers, body, signal: gone.signal }).catch(() => 'gone');
    await until(() => running().length > 0);
    await pause(1200);
    expect(home.answers.length).toBe(before);
    gone.abort();
    expect(await calling).toBe('gone');
    await until(() => home.answers.length > before, 5000);
    expect(home.answers.at(-1)).toMatchObject({ tool: 'sleep/sleep', error: { code: 'canceled' } });
    await until(() => running().length === 0);
  });
});

test('a client that disconnects while its token is checked starts nothing', async () => {
  const at = await own({});
  const { token } = await at.token('hasty');
  const { tokens } = at.bench.host;
  const check = tokens.check.bind(tokens);
  let looked = 0;
  Object.assign(tokens, {
    check: async (it: string) => {
      await pause(400);
      looked++;
      return check(it);
    },
  });
  const begun = await request(at.port, '/mcp', { body: initialize, headers: both, token });
  const session = { ...both, 'mcp-session-id': begun.headers['mcp-session-id'] as string };
  const call = { name: 'sleep', arguments: { text: '30' } };
  const requests = [
    { path: '/api/v1/call', body: { tool: 'sleep', arguments: call.arguments } },
    { path: '/mcp', ...modern('tools/call', call) },
    { path: '/mcp', body: ask('tools/call', call), headers: session },
    { path: '/mcp', method: 'GET', headers: session },
  ];
  const before = looked;
  for (const { path, ...rest } of requests) {
    const gone = new AbortController();
    const left = request(at.port, path, { ...rest, token, signal: gone.signal }).catch(() => 'gone');
    await pause(100);
    gone.abort();
    expect(await left).toBe('gone');
  }
  await until(() => looked === before + requests.length);
  await pause(600);
  expect(running()).toEqual([]);
  expect(at.answers.filter((it) => it.status === 'ok')).toEqual([]);
  const { sessions } = (await request(at.port, '/api/v1/sessions', { token: at.operator })).json;
  expect(sessions).toEqual([expect.objectContaining({ inUse: false })]);
  // Control: the same call of a client that stays does start.
  const stays = new AbortController();
  const calling = request(at.port, '/mcp', { ...modern('tools/call', call), token, signal: stays.signal });
  const ended = expect(calling).rejects.toThrow();
  await until(() => running().length > 0);
  stays.abort();
  await ended;
  await until(() => running().length === 0);
});

test('sessions are limited, and a new one replaces the oldest idle one of its token', async () => {
  const { port, agent, operator } = await own({ sessions: 3, sessionsPerToken: 2, sweepMs: 50 });
  const begin = async (token: string) => {
    const begun = await request(port, '/mcp', { body: initialize, headers: both, token });
    return { status: begun.status, secret: begun.headers['mcp-session-id'] as string };
  };
  const alive = async (secret: string, token: string) =>
    (await request(port, '/mcp', { body: ask('ping'), headers: { 'mcp-session-id': secret }, token })).status;
  const [first, second, other] = [await begin(agent), await begin(agent), await begin(operator)];
  expect(await alive(first.secret, agent)).toBe(200);
  const third = await begin(agent);
  expect(await alive(second.secret, agent)).toBe(404);
  expect(await alive(first.secret, agent)).toBe(200);
  expect(await alive(third.secret, agent)).toBe(200);
  expect(await alive(other.secret, operator)).toBe(200);
  // Sessions in use are not closed.
  const streams = [first, third].map(({ secret }) =>
    request(port, '/mcp', {
      method: 'GET',
      headers: { ...both, 'mcp-session-id': secret },
      token: agent,
    }).catch(() => undefined),
  );
  await until(async () => (await begin(agent)).status === 429);
  expect(await alive(other.secret, operator)).toBe(200);
  for (const { secret } of [first, third])
    await request(port, '/mcp', { method: 'DELETE', headers: { 'mcp-session-id': secret }, token: agent });
  await Promise.all(streams);
});

test('an idle session ends by itself, and one with an open stream does not', async () => {
  const { port, agent } = await own({ sessionIdleMs: 300, sweepMs: 50 });
  const begin = async () =>
    (await request(port, '/mcp', { body: initialize, headers: both, token: agent })).headers[
      'mcp-session-id'
    ] as string;
  const [idle, busy] = [await begin(), await begin()];
  const stream = request(port, '/mcp', {
    method: 'GET',
    headers: { ...both, 'mcp-session-id': busy },
    token: agent,
  });
  await pause(900);
  const ping = (secret: string) =>
    request(port, '/mcp', { body: ask('ping'), headers: { 'mcp-session-id': secret }, token: agent });
  expect((await ping(idle)).status).toBe(404);
  expect((await ping(busy)).status).toBe(200);
  await request(port, '/mcp', { method: 'DELETE', headers: { 'mcp-session-id': busy }, token: agent });
  expect((await stream).status).toBe(200);
});

test('messages for one client reach no other client', async () => {
  const { token } = await home.token('neighbor');
  const listen = async (as: string) => {
    const begun = await home.request('/mcp', { body: initialize, headers: both, token: as });
    const headers = { ...both, 'mcp-session-id': begun.headers['mcp-session-id'] as string };
    return { headers, heard: home.request('/mcp', { method: 'GET', headers, token: as }), as };
  };
  const [mine, theirs] = [await listen(home.agent), await listen(token)];
  const params = { name: 'sleep', arguments: { text: '1.5' }, _meta: { progressToken: 'secret-token' } };
  const called = await home.request('/mcp', { body: ask('tools/call', params, 'x'), headers: mine.headers });
  expect(called.text).toContain('secret-token');
  for (const it of [mine, theirs]) {
    await home.request('/mcp', { method: 'DELETE', headers: it.headers, token: it.as });
    expect((await it.heard).text).not.toContain('secret-token');
  }
});

describe('shutdown', () => {
  const begin = (at: HttpBench, text: string) =>
    request(at.port, '/api/v1/call', { token: at.agent, body: { tool: 'sleep', arguments: { text } } });

  test('shutdown waits for running calls, but not for streams or new connections', async () => {
    const at = await own({});
    const begun = await request(at.port, '/mcp', { body: initialize, headers: both, token: at.agent });
    const headers = { ...both, 'mcp-session-id': begun.headers['mcp-session-id'] as string };
    const stream = request(at.port, '/mcp', { method: 'GET', headers, token: at.agent });
    const listening = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const subscription = request(at.port, '/mcp', { ...listening, token: at.agent });
    await pause(200);
    const calling = begin(at, '1.5');
    await until(() => running().length > 0);
    const from = performance.now();
    const closing = at.server.close();
    await expect(request(at.port, '/health')).rejects.toThrow();
    expect((await calling).json).toMatchObject({ status: 'ok', result: { slept: '1.5' } });
    await closing;
    expect(performance.now() - from).toBeLessThan(4500);
    expect((await stream).status).toBe(200);
    expect((await subscription).status).toBe(200);
  });

  test('a call that takes longer than the grace time is ended', async () => {
    const at = await own({ graceMs: 500 });
    const calling = begin(at, '60').catch(() => undefined);
    await until(() => running().length > 0);
    await pause(200);
    const from = performance.now();
    await at.server.close();
    expect(performance.now() - from).toBeLessThan(3500);
    expect((await calling)?.json.status).not.toBe('ok');
    await until(() => running().length === 0);
    expect(at.answers.at(-1)).toMatchObject({ tool: 'sleep/sleep', error: { code: 'canceled' } });
  });

  test('a request on an open connection during shutdown is answered with 503', async () => {
    const at = await own({});
    const calling = begin(at, '1.5');
    await until(() => running().length > 0);
    const { socket, closed } = rawRequest(at.port, 'GET /health HTTP/1.1\r\n');
    await pause(100);
    const closing = at.server.close();
    socket.write(`Host: 127.0.0.1:${at.port}\r\n\r\n`);
    expect(await closed).toMatch(/^HTTP\/1.1 503 /);
    await calling;
    await closing;
  });
});

test('no request of this file caused an internal error', () => expect(home.bench.bugs).toEqual([]));
