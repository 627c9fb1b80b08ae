// A client of the 2025 era that loses its connection comes back for the rest. Connections are really broken, on loopback.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { HttpServerLimits } from '../../../../src/serve/http/server-limits.js';
import {
  type BreakableProxy,
  breakableProxy,
  type EventReader,
  readEvents,
} from '../../../support/event-reader.js';
import { claim, type HttpBench, httpBench } from '../../../support/http-bench.js';
import { sampleServerScript } from '../../../support/mcp-upstream.js';
import { pause, sandboxed } from '../../../support/processes.js';
import { serverPackage } from '../../../support/server-package.js';
import { until } from '../../../support/toolwharf.js';

let home: HttpBench;
let proxy: BreakableProxy;
const readers: EventReader[] = [];

async function open(limits: Partial<HttpServerLimits> = {}): Promise<HttpBench> {
  const desk = {
    ...serverPackage('desk', ''),
    'desk/server.mjs': `process.argv.push('2025');\n${await sampleServerScript()}`,
  };
  return httpBench({ resumableMs: 50, ...limits }, { names: [`127.0.0.1:${proxy.port}`] }, desk);
}

/** Calls of the tool "sleep" that run. */
const running = () => sandboxed(process.pid).filter((it) => it.name.startsWith('python3'));

beforeAll(async () => {
  proxy = await breakableProxy(() => home.port);
  home = await open();
});
afterEach(() => {
  for (const it of readers.splice(0)) it.drop();
});
afterAll(async () => {
  await proxy?.close();
  await home?.close();
});

interface Caller {
  readonly to: HttpBench;
  readonly headers: Record<string, string>;
}

async function begin(to = home, protocolVersion = '2025-11-25', token = to.agent): Promise<Caller> {
  const params = {
    protocolVersion,
    capabilities: { elicitation: {} },
    clientInfo: { name: 'x', version: '1' },
  };
  const begun = await to.request('/mcp', {
    token,
    body: { jsonrpc: '2.0', id: 'begin', method: 'initialize', params },
    headers: { accept: 'application/json, text/event-stream' },
  });
  const session = begun.headers['mcp-session-id'] as string;
  return { to, headers: { 'mcp-session-id': session, authorization: `Bearer ${token}` } };
}

async function stream(
  { to, headers }: Caller,
  method: 'GET' | 'POST',
  more: { readonly body?: unknown; readonly lastEventId?: string | undefined } = {},
): Promise<EventReader> {
  const { body, lastEventId } = more;
  const sent = { ...headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) };
  const reader = await readEvents({ port: to.port, method, headers: sent, body });
  readers.push(reader);
  return reader;
}

const callOf = (name: string, args: object, id: string | number = 1, meta: object = {}) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args, _meta: { progressToken: 'p', ...meta } },
});
const sleepFor = (seconds: number, id: string | number = 1) => callOf('sleep', { text: String(seconds) }, id);
const say = ({ to, headers }: Caller, body: unknown) =>
  to.request('/mcp', {
    body,
    headers: { ...headers, accept: 'application/json, text/event-stream' },
    token: undefined,
  });
const lastId = ({ events }: EventReader) => events.findLast((it) => it.id !== undefined)?.id;
const answersIn = ({ events }: EventReader) =>
  events.map((it) => it.message).filter((it) => it !== undefined && it.method === undefined);

/** A call whose stream has begun. Its process is running. */
async function begunCall(caller: Caller, seconds: number): Promise<EventReader> {
  const reader = await stream(caller, 'POST', { body: sleepFor(seconds) });
  await until(() => running().length > 0 && reader.events.length > 0);
  return reader;
}

describe('a call of a session whose connection breaks', () => {
  test('the stream begins with an id and the time to come back', async () => {
    const reader = await begunCall(await begin(), 1);
    expect(reader.type).toBe('text/event-stream');
    expect(reader.events[0]).toMatchObject({ id: expect.any(String), retry: '1000', message: undefined });
    await reader.closed;
    const ids = reader.events.map((it) => it.id);
    expect(ids.every((it) => it !== undefined)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect(answersIn(reader)).toMatchObject([{ id: 1, result: { structuredContent: { slept: '1' } } }]);
  });

  test('it goes on, and the client gets the rest with the last id', async () => {
    const caller = await begin();
    const first = await begunCall(caller, 2);
    first.drop();
    await first.closed;
    const second = await stream(caller, 'GET', { lastEventId: lastId(first) });
    expect(second.status).toBe(200);
    await second.closed;
    expect(answersIn(second)).toMatchObject([{ id: 1, result: { structuredContent: { slept: '2' } } }]);
    expect(home.answers.at(-1)).toMatchObject({ status: 'ok' });
  });

  test('an answer that came while the client was away is kept', async () => {
    const caller = await begin();
    const first = await begunCall(caller, 1);
    first.drop();
    await until(() => home.answers.at(-1)?.status === 'ok' && running().length === 0);
    const second = await stream(caller, 'GET', { lastEventId: lastId(first) });
    await second.closed;
    expect(answersIn(second)).toMatchObject([{ id: 1, result: { structuredContent: { slept: '1' } } }]);
  });

  test('an earlier id gets everything after it again, in order', async () => {
    const caller = await begin();
    const first = await begunCall(caller, 3);
    await until(() => first.events.length > 2);
    first.drop();
    const seen = first.events.map((it) => it.id);
    const second = await stream(caller, 'GET', { lastEventId: seen[0] });
    await second.closed;
    const again = second.events.map((it) => it.id);
    expect(again.slice(0, seen.length - 1)).toEqual(seen.slice(1));
  });

  test('a new connection replaces one that still seems to be open', async () => {
    const caller = await begin();
    const first = await begunCall(caller, 2);
    const second = await stream(caller, 'GET', { lastEventId: lastId(first) });
    await first.closed;
    await second.closed;
    expect(answersIn(first)).toEqual([]);
    expect(answersIn(second)).toHaveLength(1);
  });

  test('its question waits for the client', async () => {
    const caller = await begin();
    const first = await stream(caller, 'POST', { body: callOf('desk_consult', {}, 'q') });
    await until(() => first.events.some((it) => it.message?.method === 'elicitation/create'));
    first.drop();
    const second = await stream(caller, 'GET', { lastEventId: first.events[0]?.id });
    await until(() => second.events.some((it) => it.message?.method === 'elicitation/create'));
    const id = second.events.find((it) => it.message?.method === 'elicitation/create')?.message.id;
    const result = { action: 'accept', content: { color: 'green' } };
    expect((await say(caller, { jsonrpc: '2.0', id, result })).status).toBe(202);
    await second.closed;
    expect(answersIn(second)).toMatchObject([{ id: 'q', result: { content: [{ text: 'accept green' }] } }]);
  });

  test('a cancellation ends the call, and nobody can come back to it', async () => {
    const caller = await begin();
    const first = await begunCall(caller, 60);
    first.drop();
    await pause(300);
    expect(running()).not.toEqual([]);
    const params = { requestId: 1, reason: 'enough' };
    await say(caller, { jsonrpc: '2.0', method: 'notifications/cancelled', params });
    await until(() => home.answers.at(-1)?.tool === 'sleep/sleep');
    expect(home.answers.at(-1)).toMatchObject({ error: { code: 'canceled' } });
    const second = await stream(caller, 'GET', { lastEventId: lastId(first) });
    expect(second.status).toBe(400);
  });

  test.each(['the end of its session', 'a revoked token'])('%s ends the call', async (end) => {
    const { token, id } = await home.token(`leaver of ${end}`);
    const caller = await begin(home, '2025-11-25', token);
    const first = await begunCall(caller, 60);
    first.drop();
    await pause(300);
    expect(running()).not.toEqual([]);
    if (end === 'a revoked token') await home.bench.host.tokens.revoke(id, 'test');
    else await home.request('/mcp', { method: 'DELETE', headers: caller.headers, token });
    await until(() => running().length === 0);
  });
});

describe('who may come back', () => {
  test('another session or another token cannot read the stream', async () => {
    const caller = await begin();
    const first = await begunCall(caller, 2);
    const lastEventId = lastId(first);
    first.drop();
    expect((await stream(await begin(), 'GET', { lastEventId })).status).toBe(400);
    const { token } = await home.token('stranger');
    const headers = { ...caller.headers, authorization: `Bearer ${token}` };
    expect((await stream({ to: home, headers }, 'GET', { lastEventId })).status).toBe(404);
    // Control: the session that the stream belongs to.
    expect((await stream(caller, 'GET', { lastEventId })).status).toBe(200);
  });

  test.each([
    '',
    'request1',
    'request1-',
    'request999-1',
    'request1-99999',
    'REQUEST1-0',
    '-1',
    'x'.repeat(99),
  ])('the id %j leads nowhere', async (lastEventId) => {
    const caller = await begin();
    const first = await begunCall(caller, 1);
    const second = await stream(caller, 'GET', { lastEventId });
    expect([200, 400, 431]).toContain(second.status);
    expect(answersIn(second)).toEqual([]);
    await first.closed;
    expect(answersIn(first)).toHaveLength(1);
  });
});

describe('a call that nobody comes back to', () => {
  test('it ends after the time to come back', async () => {
    const short = await open({ resumeMs: 5000 });
    try {
      const first = await begunCall(await begin(short), 60);
      first.drop();
      await pause(300);
      expect(running()).not.toEqual([]);
      // Well before the call itself would end.
      await until(() => running().length === 0, 20_000);
      // The process is gone before the call has its answer.
      await until(() => short.answers.length > 0);
      expect(short.answers.at(-1)).toMatchObject({ error: { code: 'canceled' } });
    } finally {
      await short.close();
    }
  });

  test('it ends at once if what it sends needs too much room', async () => {
    const small = await open({ replayBytesPerToken: 0 });
    try {
      const caller = await begin(small);
      const first = await begunCall(caller, 60);
      await until(() => first.events.some((it) => it.message !== undefined));
      first.drop();
      await until(() => running().length === 0);
    } finally {
      await small.close();
    }
  });

  test('the id of an answered request can be used again', async () => {
    const short = await open({ resumeMs: 300 });
    try {
      const caller = await begin(short);
      const first = await begunCall(caller, 1);
      first.drop();
      await until(() => short.answers.length === 1);
      // The first stream is given up while this call runs.
      const second = await stream(caller, 'POST', { body: sleepFor(2) });
      await second.closed;
      expect(answersIn(second)).toMatchObject([{ id: 1, result: { structuredContent: { slept: '2' } } }]);
    } finally {
      await short.close();
    }
  });

  test('closing cancels where the client cannot come back: 2026, no session, no stream', async () => {
    const caller = await begin();
    const accept = 'application/json';
    const modern = { ...sleepFor(60), params: { ...sleepFor(60).params, _meta: claim } };
    const named = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'sleep' };
    const { authorization } = caller.headers;
    const cases = [
      { headers: { authorization, ...named } as Record<string, string>, body: modern },
      { headers: { authorization } as Record<string, string>, body: sleepFor(60) },
      { headers: { ...caller.headers, accept }, body: sleepFor(60) },
    ];
    for (const { headers, body } of cases) {
      const reading = new AbortController();
      const asked = home
        .request('/mcp', {
          body,
          token: undefined,
          headers: { accept: 'application/json, text/event-stream', ...headers },
          signal: reading.signal,
        })
        .catch(() => 'gone');
      await until(() => running().length > 0);
      await pause(200);
      reading.abort();
      await asked;
      await until(() => running().length === 0);
    }
  });

  test('a server that stops does not wait for it', async () => {
    const stopping = await open({ graceMs: 100 });
    const first = await begunCall(await begin(stopping), 60);
    first.drop();
    await pause(200);
    expect(running()).not.toEqual([]);
    await stopping.close();
    expect(running()).toHaveLength(0);
  });
});

test('an older revision has ids on its messages, and no event without one', async () => {
  const caller = await begin(home, '2025-06-18');
  const first = await stream(caller, 'POST', { body: sleepFor(3) });
  await until(() => first.events.length > 0);
  expect(first.events[0]?.message).toMatchObject({ method: 'notifications/progress' });
  first.drop();
  const second = await stream(caller, 'GET', { lastEventId: lastId(first) });
  await second.closed;
  expect(second.events.every((it) => it.message !== undefined)).toBe(true);
  expect(answersIn(second)).toHaveLength(1);
});

test('what belongs to no request is kept while the client is away', async () => {
  const caller = await begin();
  const first = await stream(caller, 'GET');
  await until(() => first.events.length === 1);
  first.drop();
  await first.closed;
  await home.bench.host.switches.set('long', false, 'test');
  await pause(700);
  const second = await stream(caller, 'GET', { lastEventId: lastId(first) });
  await until(() => second.events.some((it) => it.message?.method === 'notifications/tools/list_changed'));
  await home.bench.host.switches.set('long', true, 'test');
});

test('a request that is answered at once has no stream', async () => {
  const caller = await begin();
  const answer = await say(caller, { jsonrpc: '2.0', id: 7, method: 'ping' });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toContain('application/json');
});

describe('the official client of the 2025 era, through a proxy that breaks its connections', () => {
  test('it gets its progress, its question and its answer', async () => {
    const client = new Client(
      { name: 'official', version: '1.0.0' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } },
    );
    try {
      client.setRequestHandler('elicitation/create', async () => {
        proxy.break();
        await pause(300);
        return { action: 'accept', content: { color: 'gold' } };
      });
      const url = new URL(`http://127.0.0.1:${proxy.port}/mcp`);
      const requestInit = { headers: { authorization: `Bearer ${home.agent}` } };
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      const calling = client.callTool({ name: 'sleep', arguments: { text: '4' } }, { onprogress: () => {} });
      for (const wait of [600, 1800]) {
        await pause(wait);
        proxy.break();
      }
      expect(await calling).toMatchObject({ structuredContent: { slept: '4' } });
      expect(proxy.connections).toBeGreaterThan(3);
      expect(await client.callTool({ name: 'desk_consult', arguments: {} })).toMatchObject({
        content: [{ text: 'accept gold' }],
      });
    } finally {
      await client.close();
    }
  });
});
