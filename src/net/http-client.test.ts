import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import type { Resolve } from './destination.js';
import { guardedClient, type HttpRequest } from './http-client.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function server(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const made = createServer(answer);
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    made.closeAllConnections();
    return new Promise((resolve) => made.close(resolve));
  });
  return (made.address() as AddressInfo).port;
}

function send(url: string, options: Partial<HttpRequest> = {}, resolve?: Resolve) {
  const { hostname, port, protocol } = new URL(url);
  const here = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
  return guardedClient(resolve).send({
    method: 'GET',
    url,
    headers: {},
    reach: { hosts: [here], granted: [here] },
    limits: { wallMs: 2000, bodyBytes: 1000 },
    credential: false,
    signal: new AbortController().signal,
    ...options,
  });
}

test('a granted loopback server is reached', async () => {
  const port = await server((request, response) =>
    response.end(`${request.method} ${request.url} ${request.headers.host}`),
  );
  const answer = await send(`http://127.0.0.1:${port}/a?b=c`);
  expect([answer.status, answer.body.toString()]).toEqual([200, `GET /a?b=c 127.0.0.1:${port}`]);
});

test('without a grant nothing is sent', async () => {
  let requests = 0;
  const port = await server((_request, response) => {
    requests++;
    response.end();
  });
  const hosts = [{ host: '127.0.0.1', port }];
  await expect(send(`http://127.0.0.1:${port}/`, { reach: { hosts, granted: [] } })).rejects.toMatchObject({
    code: 'network_denied',
    hint: expect.stringContaining(`--allow net:127.0.0.1:${port}`),
  });
  await expect(
    send(`http://127.0.0.1:${port}/`, { reach: { hosts: [], granted: hosts } }),
  ).rejects.toMatchObject({ code: 'network_denied' });
  expect(requests).toBe(0);
});

test('a grant for one port does not cover another', async () => {
  const port = await server((_request, response) => response.end());
  const reach = { hosts: [{ host: '127.0.0.1', port }], granted: [{ host: '127.0.0.1', port: port + 1 }] };
  await expect(send(`http://127.0.0.1:${port}/`, { reach })).rejects.toMatchObject({
    code: 'network_denied',
  });
});

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '169.254.169.254',
  '::1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '0.0.0.0',
])('a public name that resolves to %s is denied', async (address) => {
  const reach = { hosts: [{ host: 'api.example.com', port: null }], granted: [] };
  await expect(send('https://api.example.com/', { reach }, async () => [address])).rejects.toMatchObject({
    code: 'network_denied',
  });
});

test('the connection goes to the address that was checked', async () => {
  const port = await server((_request, response) => response.end('here'));
  let lookups = 0;
  const rebinding: Resolve = async () => (lookups++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
  const here = [{ host: 'dev.test', port }];
  expect(
    (
      await send(`http://dev.test:${port}/`, { reach: { hosts: here, granted: here } }, rebinding)
    ).body.toString(),
  ).toBe('here');
  expect(lookups).toBe(1);
});

test.each([
  'http://user@127.0.0.1:PORT/',
  'http://user:pw@127.0.0.1:PORT/',
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'nonsense',
])('%s is denied', async (url) => {
  const port = await server((_request, response) => response.end());
  const here = [{ host: '127.0.0.1', port }];
  const response = guardedClient().send({
    method: 'GET',
    url: url.replace('PORT', String(port)),
    headers: {},
    reach: { hosts: here, granted: here },
    limits: { wallMs: 1000, bodyBytes: 10 },
    credential: false,
    signal: new AbortController().signal,
  });
  await expect(response).rejects.toMatchObject({ code: 'network_denied' });
});

test('other notations of a granted address are covered by the grant', async () => {
  const port = await server((_request, response) => response.end('ok'));
  const here = [{ host: '127.0.0.1', port }];
  // The URL parser converts them to dotted form before the check.
  for (const host of ['2130706433', '0x7f.1', '127.1']) {
    expect((await send(`http://${host}:${port}/`, { reach: { hosts: here, granted: here } })).status).toBe(
      200,
    );
  }
});

test('redirects are followed on the same origin only, and never with a credential', async () => {
  const other = await server((_request, response) => response.end('elsewhere'));
  const port = await server((request, response) => {
    const to: Record<string, string> = {
      '/same': '/end',
      '/other': `http://127.0.0.1:${other}/`,
      '/loop': '/loop',
    };
    const location = to[request.url ?? ''];
    if (location === undefined) response.end('the end');
    else response.writeHead(302, { location }).end();
  });
  expect((await send(`http://127.0.0.1:${port}/same`)).body.toString()).toBe('the end');
  await expect(send(`http://127.0.0.1:${port}/same`, { credential: true })).rejects.toMatchObject({
    code: 'network_denied',
  });
  await expect(send(`http://127.0.0.1:${port}/other`)).rejects.toMatchObject({ code: 'network_denied' });
  await expect(send(`http://127.0.0.1:${port}/loop`)).rejects.toMatchObject({ code: 'network_failed' });
});

test('responses that are too large, decompression bombs and slow responses fail', async () => {
  const port = await server((request, response) => {
    if (request.url === '/large') response.end('x'.repeat(1001));
    else if (request.url === '/bomb')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000)));
    else if (request.url === '/gzip')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('small'));
    else if (request.url === '/odd')
      response.writeHead(200, { 'content-encoding': 'constructor' }).end('as it is');
    else response.write('and then');
  });
  await expect(send(`http://127.0.0.1:${port}/large`)).rejects.toMatchObject({ code: 'output_too_large' });
  await expect(send(`http://127.0.0.1:${port}/bomb`)).rejects.toMatchObject({ code: 'output_too_large' });
  expect((await send(`http://127.0.0.1:${port}/gzip`)).body.toString()).toBe('small');
  expect((await send(`http://127.0.0.1:${port}/odd`)).body.toString()).toBe('as it is');
  await expect(
    send(`http://127.0.0.1:${port}/slow`, { limits: { wallMs: 100, bodyBytes: 1000 } }),
  ).rejects.toMatchObject({ code: 'timeout' });
});

test('a canceled request ends at once, and a failed connection is reported', async () => {
  const port = await server(() => {});
  const controller = new AbortController();
  const response = send(`http://127.0.0.1:${port}/`, { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await expect(response).rejects.toMatchObject({ code: 'canceled' });
  await open.pop()?.();
  await expect(send(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'network_failed' });
});

test('a protocol upgrade, a broken connection or an invalid redirect fails the request', async () => {
  const port = await server((request, response) => {
    if (request.url === '/reset') request.socket.destroy();
    else if (request.url === '/lost') response.writeHead(302, { location: 'http://[' }).end();
    else {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => request.socket.destroy(), 20);
    }
  });
  const raw = createTcpServer((socket) =>
    socket.resume().end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  );
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  open.push(() => new Promise((resolve) => raw.close(resolve)));
  await expect(send(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/`)).rejects.toMatchObject({
    code: 'network_failed',
  });
  for (const path of ['reset', 'lost', 'half']) {
    await expect(send(`http://127.0.0.1:${port}/${path}`)).rejects.toMatchObject({ code: 'network_failed' });
  }
});

test('a lookup that takes too long fails with a timeout', async () => {
  const reach = { hosts: [{ host: 'slow.test', port: null }], granted: [] };
  const started = performance.now();
  const response = send(
    'https://slow.test/',
    { reach, limits: { wallMs: 100, bodyBytes: 10 } },
    () => new Promise(() => {}),
  );
  await expect(response).rejects.toMatchObject({ code: 'timeout' });
  expect(performance.now() - started).toBeLessThan(2000);
});

test('an IPv6 loopback address can be granted', async () => {
  const made = createServer((_request, response) => response.end('six'));
  await new Promise<void>((resolve) => made.listen(0, '::1', resolve));
  open.push(() => new Promise((resolve) => made.close(resolve)));
  const { port } = made.address() as AddressInfo;
  const reach = { hosts: [{ host: '[::1]', port }], granted: [{ host: '::1', port }] };
  expect((await send(`http://[::1]:${port}/`, { reach })).body.toString()).toBe('six');
});
