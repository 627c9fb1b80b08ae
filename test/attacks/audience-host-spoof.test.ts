// SECURITY.md: a value goes only to its audience. Whom a request says it is for, and whom it is sent to, is one host:
// the Host header is the host that was judged. Greetings of TLS for another name are in src/net/egress.test.ts.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LoopbackServer, loopbackServer } from '../toolwharf.js';
import { type Door, openDoor } from './egress-door.js';

let server: LoopbackServer;
let door: Door | undefined;

beforeEach(async () => {
  server = await loopbackServer((_request, response) => response.end('served'));
});
afterEach(async () => {
  await door?.close();
  await server.close();
});

test('plain http: whatever the client writes into Host, the server is asked for the judged name', async () => {
  const hosts = [{ host: 'good.test', port: server.port }];
  door = await openDoor({ reach: { hosts, granted: hosts }, anyPublic: false, secret: true });
  const target = `http://good.test:${server.port}/a`;
  for (const header of [
    'Host: evil.test',
    'Host: good.test\nHost: evil.test',
    'hOsT : evil.test',
    'X: y\nHost:evil.test',
  ])
    await door.say(`GET ${target} HTTP/1.1\n${header}\nConnection: close\n\n`);
  await door.say(`GET /a HTTP/1.1\nHost: evil.test\nConnection: close\n\n`);
  await door.say(
    `GET http://evil.test:${server.port}/a HTTP/1.1\nHost: good.test:${server.port}\nConnection: close\n\n`,
  );
  expect(server.requests.length).toBeGreaterThan(0);
  for (const { headers } of server.requests) expect(headers.host).toBe(`good.test:${server.port}`);
});

test('the control: without the proxy the same server believes the header', async () => {
  const client = connect(server.port, '127.0.0.1');
  client.end('GET /a HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n');
  await once(client.resume(), 'close');
  expect(server.requests[0]?.headers.host).toBe('evil.test');
});
