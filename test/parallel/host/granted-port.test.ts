// A credential that is bound to a host works on the port of that host that the operator granted, and on no other.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';
import { failureOf, findagent, resultOf, talos, type Workbench, workbench } from '../../support/workbench.js';

const key = 'key-of-one-host-41c7';
const code = `import http from 'node:http';
const get = (port, key) => new Promise((resolve, reject) => {
  http.get({ host: '127.0.0.1', port, headers: { 'x-key': key } }, (response) => {
    let body = '';
    response.on('data', (it) => { body += it; });
    response.on('end', () => resolve({ status: response.statusCode, body }));
  }).on('error', reject);
});
export async function ask({ port }, { config }) {
  const { status, body } = await get(port, config.KEY);
  if (status !== 200) throw new Error('status ' + status);
  return { body };
}`;

let bench: Workbench;
let granted: LoopbackServer;
let other: LoopbackServer;
const seen: string[] = [];

beforeAll(async () => {
  const note = (name: string) =>
    loopbackServer((request, response) => {
      seen.push(`${name} ${String(request.headers['x-key'])}`);
      response.end('here');
    });
  granted = await note('granted');
  other = await note('other');
  bench = await workbench({
    ...talos({
      id: 'desk',
      code,
      functions: ['ask'],
      rest: { credentials: [{ name: 'KEY', label: 'Key', required: true }] },
    }),
    'second/findagent.json': findagent('Second', { tools: [] }),
  });
  await bench.host.secrets.set({
    package: 'desk',
    slot: 'KEY',
    value: key,
    audience: { kind: 'hosts', hosts: ['127.0.0.1'] },
    by: 'operator',
  });
});
afterAll(async () => {
  await bench.close();
  await granted.close();
  await other.close();
});

const ask = async (port: number, allow: readonly string[]) =>
  (await bench.session({ allow })).call({ tool: 'desk/ask', arguments: { port } });

test('the granted port gets the credential', async () => {
  expect(await resultOf(ask(granted.port, [`net:127.0.0.1:${granted.port}`]))).toEqual({ body: 'here' });
  expect(seen).toEqual([`granted ${key}`]);
});

test('another port of the same host gets nothing', async () => {
  seen.length = 0;
  expect((await failureOf(ask(other.port, [`net:127.0.0.1:${granted.port}`]))).code).toBe('network_denied');
  expect((await failureOf(ask(granted.port, []))).code).toBe('network_denied');
  expect(seen).toEqual([]);
  // Control: with its own grant, the same request succeeds.
  await resultOf(ask(other.port, [`net:127.0.0.1:${other.port}`]));
});
