// SECURITY.md: "A secret leaves only to its audience". A secret is not sent for another package or slot.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { guardedClient } from '../../../src/net/http-client.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';
import { failureOf, findagent, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const secret = ['for', 'a', 'only', '55qz'].join('-');
let server: LoopbackServer;
let bench: Workbench;

const agent = (name: string, path: string, port: number) =>
  findagent(name, {
    tools: [
      {
        name: 'ask',
        description: 'Ask the desk.',
        annotations: { readOnlyHint: true },
        action: { type: 'http', method: 'GET', url: `http://localhost:${port}/${path}`, auth_ref: 'key' },
      },
    ],
    credential_slots: [{ ref: 'key', label: 'Key', allowed_hosts: ['localhost'], required: false }],
  });

beforeEach(async () => {
  server = await loopbackServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  );
  bench = await workbench(
    {
      'a/findagent.json': agent('Desk A', 'a', server.port),
      'b/findagent.json': agent('Desk B', 'b', server.port),
    },
    { client: guardedClient(async () => ['127.0.0.1']) },
  );
});
afterEach(async () => {
  await bench.close();
  await server.close();
});

const keep = (packageId: string, hosts?: readonly string[]) =>
  bench.host.secrets.set({
    package: packageId,
    slot: 'key',
    value: secret,
    audience: hosts === undefined ? { kind: 'manifest' } : { kind: 'hosts', hosts },
    by: 'test',
  });
const open = () => bench.session({ allow: [`net:localhost:${server.port}`] });

test('a secret of package A is not sent for package B, even if both slots have the same name', async () => {
  await keep('desk-a');
  const session = await open();
  await resultOf(session.call({ tool: 'desk-b/ask', arguments: {} }));
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
  // Control: a call of A sends it.
  await resultOf(session.call({ tool: 'desk-a/ask', arguments: {} }));
  expect(server.requests[1]).toMatchObject({
    url: '/a',
    headers: { authorization: `Bearer ${secret}` },
  });
});

test('a call is not sent if its secret is for another host', async () => {
  await keep('desk-b', ['a.example.com']);
  const session = await open();
  const failed = await failureOf(session.call({ tool: 'desk-b/ask', arguments: {} }));
  expect(failed.message).not.toContain(secret);
  expect(server.requests).toEqual([]);
});

test('if two packages have the same id, no manifest decides the audience of a secret', async () => {
  bench.write({
    'c/findagent.json': agent('Twin', 'good', server.port),
    'd/findagent.json': agent('Twin', 'evil', server.port),
  });
  const folder = (name: string) =>
    bench.session({
      directories: [join(bench.packages, name)],
      allow: [`net:localhost:${server.port}`],
    });
  await folder('c');
  await folder('d');
  await expect(keep('twin')).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('--host'),
  });
  await keep('twin', ['c.example.com']);
  const evil = await folder('d');
  await failureOf(evil.call({ tool: 'twin/ask', arguments: {} }));
  expect(server.requests).toEqual([]);
  // Control: if there is only one package, its manifest decides.
  rmSync(join(bench.packages, 'd'), { recursive: true });
  await keep('twin');
  await resultOf((await folder('c')).call({ tool: 'twin/ask', arguments: {} }));
  expect(server.requests[0]).toMatchObject({ url: '/good', headers: { authorization: `Bearer ${secret}` } });
});
