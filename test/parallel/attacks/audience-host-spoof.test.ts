// SECURITY.md: "A secret leaves only to its audience". The Host header of a request is the host that was
// checked. Tests of TLS with another server name are in src/net/egress.test.ts.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestProxy, type TestProxy } from '../../support/egress-proxy.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';

let server: LoopbackServer;
let proxy: TestProxy | undefined;

beforeEach(async () => {
  server = await loopbackServer((_request, response) => response.end('served'));
});
afterEach(async () => {
  await proxy?.close();
  await server.close();
});

test('the proxy replaces the Host header of plain HTTP with the checked host', async () => {
  const hosts = [{ host: 'good.test', port: server.port }];
  proxy = await openTestProxy({ reach: { hosts, granted: hosts }, anyPublic: false, holdsSecret: true });
  const target = `http://good.test:${server.port}/a`;
  for (const header of [
    'Host: evil.test',
    'Host: good.test\nHost: evil.test',
    'hOsT : evil.test',
    'X: y\nHost:evil.test',
  ])
    await proxy.send(`GET ${target} HTTP/1.1\n${header}\nConnection: close\n\n`);
  await proxy.send(`GET /a HTTP/1.1\nHost: evil.test\nConnection: close\n\n`);
  await proxy.send(
    `GET http://evil.test:${server.port}/a HTTP/1.1\nHost: good.test:${server.port}\nConnection: close\n\n`,
  );
  expect(server.requests.length).toBeGreaterThan(0);
  for (const { headers } of server.requests) expect(headers.host).toBe(`good.test:${server.port}`);
});

test('control: without the proxy, the server gets the forged header', async () => {
  const client = connect(server.port, '127.0.0.1');
  client.end('GET /a HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n');
  await once(client.resume(), 'close');
  expect(server.requests[0]?.headers.host).toBe('evil.test');
});
