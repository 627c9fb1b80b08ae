// A 2025 server over HTTP whose response streams break. The server is written by hand and really closes its connections.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Progress } from '../../../../src/run/run.js';
import {
  asked,
  closeLater,
  closeUpstreams,
  connectUpstream,
  progressOf,
  reaching,
} from '../../../support/mcp-upstream.js';
import { until } from '../../../support/toolwharf.js';

afterEach(closeUpstreams);

interface Breaking {
  readonly url: string;
  /** `Last-Event-ID` of each request to continue a stream. */
  readonly continued: string[];
  readonly calls: number;
  readonly canceled: number;
}

interface Behavior {
  /** What the response to a call begins with; then the connection is closed. `reset`: without its proper end. */
  readonly begin: (id: number, token: unknown) => string;
  readonly how?: 'end' | 'reset';
  /** What each request to continue gets; the last one for all others. Undefined: status 405. Null: the connection breaks. */
  readonly rest: readonly (((id: number) => string) | undefined | null)[];
}

const event = (message: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const prime = (id = 'a-0', retry = 20) => `id: ${id}\nretry: ${retry}\ndata:\n\n`;
const answer = (id: number, text = 'gone') =>
  event({ id, result: { content: [{ type: 'text', text }] } }, 'a-9');
const progress = (token: unknown, value: number, id: string) =>
  event({ method: 'notifications/progress', params: { progressToken: token, progress: value } }, id);

async function breaking({ begin, how = 'end', rest }: Behavior): Promise<Breaking> {
  const seen = { continued: [] as string[], calls: 0, canceled: 0 };
  let call = 0;
  const stream = (response: ServerResponse, text: string, end: 'end' | 'reset') => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => setTimeout(() => (end === 'end' ? response.end() : response.destroy()), 20));
  };
  const resume = (request: IncomingMessage, response: ServerResponse) => {
    const from = request.headers['last-event-id'];
    if (typeof from !== 'string') return response.writeHead(405).end();
    const next = rest[Math.min(seen.continued.length, rest.length - 1)];
    seen.continued.push(from);
    if (next === null) return request.socket.destroy();
    if (next === undefined) return response.writeHead(405).end();
    return stream(response, next(call), 'end');
  };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return resume(request, response);
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    const reply = (result: object) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'initialize')
      return reply({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'breaking', version: '1' },
      });
    if (method === 'tools/list')
      return reply({ tools: [{ name: 'go', description: 'Goes.', inputSchema: { type: 'object' } }] });
    if (method === 'notifications/cancelled') seen.canceled++;
    if (id === undefined) return response.writeHead(202).end();
    if (method !== 'tools/call') return response.writeHead(400).end();
    seen.calls++;
    call = id;
    return stream(response, begin(id, params._meta?.progressToken), how);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(seen, { url: `http://127.0.0.1:${port}/mcp` });
}

const connected = async ({ url }: Breaking) =>
  (await connectUpstream({ ...reaching(url), prior: '2025-11-25' })).upstream;

test.each(['end', 'reset'] as const)(
  'a stream that breaks (%s) goes on after its last event',
  async (how) => {
    const server = await breaking({
      begin: (_, token) => prime() + progress(token, 1, 'a-1'),
      how,
      rest: [(id) => answer(id)],
    });
    const heard: Progress[] = [];
    const result = await (await connected(server)).call(asked('go', {}, { onProgress: progressOf(heard) }));
    expect(result.value).toBe('gone');
    expect(heard).toEqual([{ progress: 1 }]);
    expect(server).toMatchObject({ continued: ['a-1'], calls: 1, canceled: 0 });
  },
);

test('a server that closes its streams again and again is asked until it answers', async () => {
  const server = await breaking({
    begin: () => prime(),
    rest: [...Array.from({ length: 7 }, (_, at) => () => prime(`a-${at + 1}`)), (id) => answer(id)],
  });
  expect((await (await connected(server)).call(asked('go'))).value).toBe('gone');
  expect(server.continued).toEqual(Array.from({ length: 8 }, (_, at) => `a-${at}`));
  expect(server.calls).toBe(1);
});

test('a server that cannot be reached for a moment is tried again', async () => {
  const server = await breaking({
    begin: () => prime(),
    how: 'reset',
    rest: [null, null, (id) => answer(id)],
  });
  expect((await (await connected(server)).call(asked('go'))).value).toBe('gone');
  expect(server.continued).toHaveLength(3);
});

test.each([
  [
    'without an id',
    (_: number, token: unknown) =>
      event({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } }),
  ],
  ['whose id is no header', () => prime('a\u0001b')],
  ['whose id is too long', () => prime('a'.repeat(1001))],
])('a stream %s is not continued, and the call fails', async (_, begin) => {
  const server = await breaking({ begin, rest: [(id) => answer(id)] });
  await expect((await connected(server)).call(asked('go'))).rejects.toMatchObject({
    code: 'upstream_failed',
  });
  expect(server).toMatchObject({ continued: [], calls: 1 });
});

test('a server that does not continue its stream fails the call, which is not made again', async () => {
  const server = await breaking({ begin: () => prime(), rest: [undefined] });
  await expect((await connected(server)).call(asked('go'))).rejects.toMatchObject({
    code: 'upstream_failed',
  });
  expect(server).toMatchObject({ continued: ['a-0'], calls: 1 });
});

test('a stream without events is given up after some tries', async () => {
  const server = await breaking({ begin: () => prime(), rest: [() => ':\n\n'] });
  await expect((await connected(server)).call(asked('go'))).rejects.toMatchObject({
    code: 'upstream_failed',
  });
  expect(server.continued.length).toBeLessThan(10);
});

test('a canceled call is not continued, and the server is told', async () => {
  const server = await breaking({ begin: () => prime('a-0', 60_000), rest: [(id) => answer(id)] });
  const stop = new AbortController();
  const upstream = await connected(server);
  const calling = upstream.call(asked('go', {}, { signal: stop.signal }));
  await until(() => server.calls === 1);
  stop.abort();
  await expect(calling).rejects.toMatchObject({ code: 'canceled' });
  await until(() => server.canceled === 1);
  expect(server.continued).toEqual([]);
});

test('the timeout of a call counts while its stream is broken', async () => {
  const server = await breaking({ begin: () => prime(), rest: [(id) => prime(`b-${id}`)] });
  const upstream = await connected(server);
  await expect(upstream.call(asked('go', {}, { timeoutMs: 700 }))).rejects.toMatchObject({ code: 'timeout' });
});
