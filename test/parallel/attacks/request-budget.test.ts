// SECURITY.md: "Bounded before parsing". The bytes of requests in progress are limited per token and in total.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type HttpBench, httpBench } from '../../support/http-bench.js';
import { until } from '../../support/toolwharf.js';

const kibibyte = 1024;
let home: HttpBench;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const it of sockets.splice(0)) it.destroy();
  await home.close();
});

/** A request that has announced a body of some size and does not send it. */
function unfinished(token: string, bytes: number | 'chunked'): Socket {
  const socket = connect(home.port, '127.0.0.1');
  sockets.push(socket);
  const size = bytes === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${bytes}`;
  socket.write(
    `POST /api/v1/call HTTP/1.1\r\nhost: 127.0.0.1:${home.port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${size}\r\n\r\n`,
  );
  return socket;
}

const call = { tool: 'word_count', arguments: { text: `a ${'b'.repeat(20 * kibibyte)}` } };
const statusFor = async (token: string) => {
  const { status, headers, json } = await home.request('/api/v1/call', { token, body: call });
  return { status, retry: headers['retry-after'], code: json.error?.code };
};
/** The gauge of the metrics. */
const bytesInUse = async () =>
  Number(
    /^toolwharf_http_body_bytes (\d+)$/m.exec(
      (await home.request('/metrics', { token: home.operator })).text,
    )?.[1],
  );

test('a token that uses up its bytes gets 429, and other tokens are served', async () => {
  home = await httpBench({ openBytesPerToken: 64 * kibibyte, openBytes: 256 * kibibyte });
  const other = await home.token('other');
  expect(await statusFor(home.agent)).toMatchObject({ status: 200 });
  const open = unfinished(home.agent, 60 * kibibyte);
  await until(async () => (await bytesInUse()) === 60 * kibibyte);
  expect(await statusFor(home.agent)).toEqual({ status: 429, retry: '1', code: 'rate_limited' });
  expect(await statusFor(other.token)).toMatchObject({ status: 200 });
  open.destroy();
  await until(async () => (await bytesInUse()) === 0);
  expect(await statusFor(home.agent)).toMatchObject({ status: 200 });
});

test('all tokens together get 503 when the total is used up', async () => {
  home = await httpBench({ openBytesPerToken: 64 * kibibyte, openBytes: 70 * kibibyte });
  const other = await home.token('other');
  unfinished(home.agent, 60 * kibibyte);
  await until(async () => (await bytesInUse()) === 60 * kibibyte);
  expect(await statusFor(other.token)).toEqual({ status: 503, retry: '1', code: 'rate_limited' });
});

test('a body without a declared size counts as it arrives', async () => {
  home = await httpBench({ openBytesPerToken: 64 * kibibyte, openBytes: 256 * kibibyte });
  const open = unfinished(home.agent, 'chunked');
  let received = '';
  open.on('data', (chunk) => {
    received += chunk;
  });
  const piece = `${(16 * kibibyte).toString(16)}\r\n${' '.repeat(16 * kibibyte)}\r\n`;
  open.write(piece.repeat(3));
  await until(async () => (await bytesInUse()) === 48 * kibibyte);
  expect(await statusFor(home.agent)).toMatchObject({ status: 429 });
  open.write(piece.repeat(2));
  await until(() => received.includes('HTTP/1.1 429'));
  await until(async () => (await bytesInUse()) === 0);
});

test('every way in which a request ends gives its bytes back', async () => {
  home = await httpBench();
  const send = (body: string, headers: Record<string, string> = {}) =>
    home.request('/api/v1/call', { body, headers });
  const statuses = [
    (await send(JSON.stringify(call))).status,
    (await send('{')).status,
    (await send('['.repeat(100_000))).status,
    (await send('{}', { 'content-type': 'text/plain' })).status,
    (await send(JSON.stringify({ tool: 'nothing', arguments: {} }))).status,
    (await home.request('/api/v1/none', { body: '{}' })).status,
    (await home.request('/mcp', { body: '7' })).status,
  ];
  expect(statuses).toEqual([200, 400, 400, 415, 404, 404, 400]);
  unfinished(home.agent, 1000).destroy();
  await until(async () => (await bytesInUse()) === 0);
});
