// Several requests on one connection, sent without waiting for answers. Node begins all of them at once and has a socket
// only for the answer that is first in the row.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, house, modern, rawVisit } from '../http-house.js';
import { running } from '../processes.js';
import { until } from '../toolport.js';

let home: House;
beforeAll(async () => {
  home = await house();
});
afterAll(() => home.close());

function written(path: string, token: string, body: unknown, headers: Record<string, string> = {}): string {
  const text = JSON.stringify(body);
  const all = {
    host: `127.0.0.1:${home.port}`,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

const sleep = { name: 'sleep', arguments: { text: '50' } };
const both = { accept: 'application/json, text/event-stream' };

const cases: [string, (token: string) => string][] = [
  ['the API', (token) => written('/api/v1/call', token, { tool: 'sleep', arguments: sleep.arguments })],
  [
    'MCP 2026',
    (token) => {
      const { headers, body } = modern('tools/call', sleep);
      return written('/mcp', token, body, headers);
    },
  ],
  [
    'MCP 2025',
    (token) => written('/mcp', token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: sleep }, both),
  ],
];

test.each(cases)(
  'calls that wait for their turn to answer end with the connection: %s',
  async (_name, one) => {
    const before = home.answers.length;
    const { socket, closed } = rawVisit(home.port, one(home.agent).repeat(3));
    await until(() => running().length === 3);
    expect(home.answers.length).toBe(before);
    socket.destroy();
    await closed;
    await until(() => home.answers.length === before + 3, 5000);
    for (const it of home.answers.slice(before))
      expect(it).toMatchObject({ tool: 'sleep/sleep', error: { code: 'cancelled' } });
    await until(() => running().length === 0);
  },
);

test('a token shown for one request counts for that one alone, whatever came before it on the connection', async () => {
  const call = { tool: 'word_count', arguments: { text: 'a b' } };
  const known = written('/api/v1/call', home.operator, call);
  const unknown = written('/api/v1/call', 'tp_nobody', call);
  const none = `GET /api/v1/approvals HTTP/1.1\r\nHost: 127.0.0.1:${home.port}\r\n\r\n`;
  const agents = `GET /api/v1/approvals HTTP/1.1\r\nHost: 127.0.0.1:${home.port}\r\nAuthorization: Bearer ${home.agent}\r\n\r\n`;
  const last = `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${home.port}\r\nConnection: close\r\n\r\n`;
  const { closed } = rawVisit(home.port, [known, unknown, known, none, agents, last].join(''));
  const statuses = [...(await closed).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([200, 401, 200, 401, 403, 200]);
});
