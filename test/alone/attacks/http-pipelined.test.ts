// SECURITY.md: "HTTP needs a token". Calls end with their connection. A client can send several requests on
// one connection without waiting. Node starts all of them, but only the first response has the socket: the
// others would not notice that the connection closed.
import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpBench, httpBench, modern, rawRequest } from '../../support/http-bench.js';
import { running } from '../../support/processes.js';
import { until } from '../../support/toolwharf.js';

let home: HttpBench;
beforeAll(async () => {
  home = await httpBench();
});
afterAll(() => home.close());

function written(path: string, body: unknown, headers: Record<string, string> = {}): string {
  const text = JSON.stringify(body);
  const all = {
    host: `127.0.0.1:${home.port}`,
    authorization: `Bearer ${home.agent}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

const both = { accept: 'application/json, text/event-stream' };
const ways: [string, (tool: string, text: string) => string][] = [
  ['the API', (tool, text) => written('/api/v1/call', { tool, arguments: { text } })],
  [
    'MCP 2026',
    (name, text) => {
      const { headers, body } = modern('tools/call', { name, arguments: { text } });
      return written('/mcp', body, headers);
    },
  ],
  [
    'MCP 2025',
    (name, text) => {
      const params = { name, arguments: { text } };
      return written('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, both);
    },
  ],
];

test.each(ways)(
  'pipelined requests do not start, and the first call ends with its client: %s',
  async (_name, call) => {
    const before = home.answers.length;
    const { socket, closed } = rawRequest(
      home.port,
      call('sleep', '50') + call('word_count', 'a b').repeat(3),
    );
    await until(() => running().length === 1);
    // Requests on another connection are still served.
    const other = await home.request('/api/v1/call', {
      body: { tool: 'word_count', arguments: { text: 'a' } },
    });
    expect(other.json).toMatchObject({ status: 'ok' });
    socket.destroy();
    await closed;
    await until(() => running().length === 0);
    await until(() => home.answers.length > before + 1);
    expect(home.answers.slice(before).map((it) => [it.tool, it.status === 'ok'])).toEqual([
      ['word_count/word_count', true],
      ['sleep/sleep', false],
    ]);
  },
);

test('a pipelined request gets an error, and the connection is closed', async () => {
  const [, call] = ways[0] as (typeof ways)[number];
  const { closed } = rawRequest(home.port, call('sleep', '0.2') + call('word_count', 'a b').repeat(3));
  const received = await closed;
  expect([...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)).toEqual(['200', '400']);
  expect(received).toContain('before the previous one on this connection was answered');
});

test('a token authorizes only its own request, not others on the same connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = { tool: 'word_count', arguments: { text: 'a b' } };
  const ports = new Set<number | undefined>();
  agent.on('free', (socket: { localPort?: number }) => ports.add(socket.localPort));
  const status = async (token: string | undefined, path = '/api/v1/call') =>
    (await home.request(path, { agent, token, ...(path === '/api/v1/call' ? { body } : {}) })).status;
  expect(await status(home.operator)).toBe(200);
  expect(await status('tw_nobody')).toBe(401);
  expect(await status(home.operator, '/api/v1/approvals')).toBe(200);
  expect(await status(undefined)).toBe(401);
  expect(await status(home.agent, '/api/v1/approvals')).toBe(403);
  expect(await status(home.operator, '/api/v1/approvals')).toBe(200);
  expect(ports.size).toBe(1);
  agent.destroy();
});
