// SECURITY.md: "A secret leaves only to its audience". A request goes to the address that was checked, even
// if the name resolves to another address the second time.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Resolve } from '../../../src/net/destination.js';
import { guardedClient } from '../../../src/net/http-client.js';
import { openTestProxy, type TestProxy } from '../../support/egress-proxy.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';

let server: LoopbackServer;
let proxy: TestProxy | undefined;

beforeEach(async () => {
  server = await loopbackServer((_request, response) => response.end('inside'));
});
afterEach(async () => {
  await proxy?.close();
  await server.close();
});

/** Alternates between a public address (reserved for documentation) and this machine. */
function alternatingResolver(): { resolve: Resolve; lookups: () => number } {
  let count = 0;
  return { resolve: async () => (count++ % 2 === 0 ? ['203.0.113.7'] : ['127.0.0.1']), lookups: () => count };
}

test('the proxy checks every answer of a resolver before it connects', async () => {
  const hosts = [{ host: 'turn.test', port: server.port }];
  const { resolve, lookups } = alternatingResolver();
  proxy = await openTestProxy(
    { reach: { hosts, granted: [] }, anyPublic: true, holdsSecret: false },
    resolve,
  );
  const get = `GET http://turn.test:${server.port}/ HTTP/1.1\nHost: turn.test\nConnection: close\n\n`;
  for (let round = 0; round < 4; round++) expect(await proxy.send(get)).toMatch(/^HTTP\/1\.1 403/);
  expect(lookups()).toBe(4);
  expect(server.requests).toEqual([]);
});

test('the host checks every answer too, with one lookup per request', async () => {
  const { resolve, lookups } = alternatingResolver();
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
  // Plain HTTP without a grant is denied before the lookup.
  expect(lookups()).toBe(0);
  await expect(send(hosts)).rejects.toMatchObject({ code: 'network_denied' });
  // Control: the host is granted and now resolves to this machine.
  expect((await send(hosts)).body.toString()).toBe('inside');
  expect(lookups()).toBe(2);
});
