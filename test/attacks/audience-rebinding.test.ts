// SECURITY.md: a request goes to the address that was judged. A name that leads elsewhere the second time changes nothing.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { guardedClient } from '../../src/net/client.js';
import type { Resolve } from '../../src/net/destination.js';
import { type LoopbackServer, loopbackServer } from '../toolwharf.js';
import { type Door, openDoor } from './egress-door.js';

let server: LoopbackServer;
let door: Door | undefined;

beforeEach(async () => {
  server = await loopbackServer((_request, response) => response.end('inside'));
});
afterEach(async () => {
  await door?.close();
  await server.close();
});

/** First a public address (of a block for documentation, which nobody has), then this machine. */
function turning(): { resolve: Resolve; asked: () => number } {
  let count = 0;
  return { resolve: async () => (count++ % 2 === 0 ? ['203.0.113.7'] : ['127.0.0.1']), asked: () => count };
}

test('the second answer of a resolver is judged like the first, and never used unjudged', async () => {
  const hosts = [{ host: 'turn.test', port: server.port }];
  const { resolve, asked } = turning();
  door = await openDoor({ reach: { hosts, granted: [] }, anyPublic: true, secret: false }, resolve);
  const get = `GET http://turn.test:${server.port}/ HTTP/1.1\nHost: turn.test\nConnection: close\n\n`;
  for (let round = 0; round < 4; round++) expect(await door.say(get)).toMatch(/^HTTP\/1\.1 403/);
  expect(asked()).toBe(4);
  expect(server.requests).toEqual([]);
});

test('the same for requests of the host itself; one lookup a request', async () => {
  const { resolve, asked } = turning();
  const client = guardedClient(resolve);
  const hosts = [{ host: 'turn.test', port: server.port }];
  const send = (granted: typeof hosts) =>
    client.send({
      method: 'GET',
      url: `http://turn.test:${server.port}/`,
      headers: {},
      reach: { hosts, granted },
      limits: { wallMs: 2000, bodyBytes: 1000 },
      credential: true,
      signal: new AbortController().signal,
    });
  for (let round = 0; round < 2; round++)
    await expect(send([])).rejects.toMatchObject({ code: 'network_denied' });
  // Without the grant not even the name is looked up: plain http.
  expect(asked()).toBe(0);
  await expect(send(hosts)).rejects.toMatchObject({ code: 'network_denied' });
  // The control: granted, and this time it leads here.
  expect((await send(hosts)).body.toString()).toBe('inside');
  expect(asked()).toBe(2);
});
