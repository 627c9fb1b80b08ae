// mcp.remote of FindAgent: only the server gets the credential of the slot, in the scheme of the slot.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/index.js';
import { guardedClient } from '../../../../src/net/http-client.js';
import { httpSampleServer } from '../../../support/http-sample-server.js';
import { closeUpstreams } from '../../../support/mcp-upstream.js';
import { type LoopbackServer, loopbackServer } from '../../../support/toolwharf.js';
import { failureOf, findagent, resultOf, type Workbench, workbench } from '../../../support/workbench.js';

const secret = ['k3y', 'of', 'the', 'desk', '41d9'].join('-');
let bench: Workbench;
let other: LoopbackServer;
let seen: { readonly method: string; readonly headers: Headers }[] = [];
let redirect: string | undefined;
let expectedAuth: string | undefined;

const intercept = (request: Request): Response | undefined => {
  seen.push({ method: request.method, headers: request.headers });
  if (redirect !== undefined && new URL(request.url).pathname === '/mcp')
    return new Response(null, { status: 307, headers: { location: redirect } });
  if (expectedAuth !== undefined && request.headers.get('authorization') !== expectedAuth)
    return new Response('no', { status: 401 });
  return undefined;
};

beforeAll(async () => {
  other = await loopbackServer((_request, response) => response.end('{}'));
});

beforeEach(async () => {
  seen = [];
  redirect = undefined;
  expectedAuth = undefined;
  // A credential needs a host name, so the test resolves localhost itself, independent of this machine.
  bench = await workbench(
    {},
    { client: guardedClient(async (it) => (it === 'localhost' ? ['127.0.0.1'] : [])) },
  );
});

afterEach(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

afterAll(async () => {
  await closeUpstreams();
  await other.close();
});

const slot = (rest: JsonObject = {}) => ({ ref: 'key', label: 'Key', allowed_hosts: ['localhost'], ...rest });

async function agent(
  speaks: '2025' | '2026',
  slots: readonly JsonObject[],
  remote: JsonObject = {},
): Promise<number> {
  const { port } = new URL(await httpSampleServer(speaks, intercept));
  const mcp = { remote: { url: `http://localhost:${port}/mcp`, ...remote } };
  const manifest = { tools: [], kind: 'mcp-tool', delivery: { mcp }, credential_slots: slots };
  bench.write({ 'desk/findagent.json': findagent('Desk', manifest) });
  return Number(port);
}

const open = (port: number) =>
  bench.session({ allow: [`net:localhost:${port}`, `net:127.0.0.1:${other.port}`] });
const set = (value = secret, hosts?: readonly string[]) =>
  bench.host.secrets.set({
    package: 'desk',
    slot: 'key',
    value,
    audience: hosts === undefined ? { kind: 'manifest' } : { kind: 'hosts', hosts },
    by: 'test',
  });
const say = { tool: 'desk/say', arguments: { text: 'hello' } };

describe.each(['2025', '2026'] as const)('a server of %s', (speaks) => {
  test.each<[string, JsonObject, string, string]>([
    ['bearer', {}, 'authorization', `Bearer ${secret}`],
    ['raw', { auth_scheme: 'raw' }, 'authorization', secret],
    ['basic', { auth_scheme: 'basic' }, 'authorization', `Basic ${Buffer.from(secret).toString('base64')}`],
    [
      'header',
      { auth_scheme: 'header', header_name: 'X-Desk-Key', prefix: 'Key ' },
      'x-desk-key',
      `Key ${secret}`,
    ],
  ])('gets the credential with every request: %s', async (_scheme, rest, header, value) => {
    const port = await agent(speaks, [slot(rest)]);
    await set();
    const session = await open(port);
    expect(await resultOf(session.call(say))).toBe('hello');
    expect(await session.prompt('desk_greet', { who: 'Ada' })).toContain('Ada');
    expect(seen.length).toBeGreaterThan(3);
    for (const { headers } of seen) {
      expect(headers.get(header)).toBe(value);
      const elsewhere = [...headers].filter(([name]) => name !== header);
      expect(JSON.stringify(elsewhere)).not.toContain(secret);
    }
  });

  test('works without an optional credential, and the hint for a 401 names the next step', async () => {
    const port = await agent(speaks, [slot({ required: false })]);
    const session = await open(port);
    expect(await resultOf(session.call(say))).toBe('hello');
    for (const { headers } of seen) expect(headers.get('authorization')).toBeNull();
    expectedAuth = `Bearer ${secret}`;
    expect(await failureOf(session.call(say))).toMatchObject({
      code: 'auth_required',
      hint: expect.stringContaining('toolwharf secret list'),
    });
    await set();
    expect(await resultOf((await open(port)).call(say))).toBe('hello');
  });

  test('needs setup until its required credential is set', async () => {
    const session = await open(await agent(speaks, [slot()]));
    const waiting = await failureOf(session.call(say));
    expect(waiting.code).toBe('needs_setup');
    expect(`${waiting.message} ${waiting.hint}`).toContain('toolwharf secret set desk key');
    expect(seen).toEqual([]);
  });

  test('gets the credential that the manifest names; with several slots and no name, it gets none', async () => {
    const slots = [slot({ required: false }), slot({ ref: 'spare', required: false })];
    const port = await agent(speaks, slots);
    await set();
    expect(await resultOf((await open(port)).call(say))).toBe('hello');
    for (const { headers } of seen) expect(headers.get('authorization')).toBeNull();
    seen = [];
    const second = await agent(speaks, slots, { auth_ref: 'key' });
    const session = await open(second);
    // The package requests more than before.
    const { widened, to } = await session.review('desk');
    expect(widened.join()).toContain('the credential key');
    await session.accept('desk', to);
    expect(await resultOf(session.call(say))).toBe('hello');
    expect(seen.length).toBeGreaterThan(0);
    for (const { headers } of seen) expect(headers.get('authorization')).toBe(`Bearer ${secret}`);
  });

  test('a request with a credential follows no redirect', async () => {
    const port = await agent(speaks, [slot({ required: false })]);
    for (const place of [`http://127.0.0.1:${other.port}/mcp`, '/elsewhere']) {
      redirect = place;
      await set();
      seen = [];
      expect(await failureOf((await open(port)).call(say))).toMatchObject({
        message: expect.stringContaining('which is not followed'),
      });
      expect(seen.length).toBeGreaterThan(0);
      expect(other.requests).toEqual([]);
      // Control: without the secret, a redirect to the same server is followed.
      await bench.host.secrets.unset('desk', 'key', 'test');
      if (place.startsWith('/')) expect(await resultOf((await open(port)).call(say))).toBe('hello');
    }
  });

  test('does not get a value that the operator set for another host', async () => {
    const port = await agent(speaks, [slot()]);
    await set(secret, ['api.example.com']);
    expect(await failureOf((await open(port)).call(say))).toMatchObject({
      message: expect.stringContaining('which is not an allowed recipient'),
    });
    expect(seen).toEqual([]);
  });
});
