// Calls that a crash interrupted. A copy of the state directory, made while a call runs, is what a crash leaves behind.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createHost,
  type Host,
  type HostOptions,
  type JsonObject,
  type Session,
} from '../../../src/index.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { type LoopbackServer, loopbackServer, until } from '../../support/toolwharf.js';
import {
  inputOf,
  knownEffects,
  resultOf,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

let server: LoopbackServer;
let bench: Workbench;
let hosts: Host[] = [];
/** Paths and keys of all requests. */
let seen: { path: string; key: string }[] = [];
let open: ServerResponse[] = [];
let isDown = true;
let copies = 0;

const manifest = (summary = 'Do one thing for a test.') =>
  toolspace({
    id: 'desk',
    endpoint: `http://127.0.0.1:${server.port}`,
    actions: ['put', 'post', 'erase'].map((name) => ({
      name,
      summary,
      invocation: { kind: 'http', method: 'POST', path: `/${name}` },
      side_effects: name === 'erase' ? 'destructive' : 'write',
      idempotent: name !== 'post',
      input: inputOf({ note: { type: 'string' } }),
      output: { format: 'json' },
    })),
  });

beforeEach(async () => {
  [seen, open, isDown, hosts] = [[], [], true, []];
  server = await loopbackServer((request, response) => {
    request.resume();
    seen.push({ path: request.url ?? '', key: String(request.headers['idempotency-key']) });
    if (isDown) open.push(response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
  });
  bench = await workbench({ 'desk/toolspace.json': manifest() });
});
afterEach(async () => {
  isDown = false;
  for (const it of open) it.destroy();
  await bench.close();
  for (const it of hosts) await it.close();
  await server.close();
});

const note = 'a note that must not be stored in the clear';
const call = (session: Session, tool: string) => session.call({ tool: `desk/${tool}`, arguments: { note } });
const sessionOf = (host: Host, rest: Partial<Parameters<Host['session']>[0]> = {}) =>
  host.session({
    principal: 'agent',
    directories: [bench.packages],
    root: bench.root,
    allow: [`net:127.0.0.1:${server.port}`],
    ...rest,
    policy: {
      // After a restart every value of a session may have been seen; these tests are about something else.
      taint: { mode: 'observe' },
      ...rest.policy,
      rules: [...(rest.policy?.rules ?? []), knownEffects],
    },
  });
const requests = (tool: string) => seen.filter((it) => it.path === `/${tool}`);

/** Copies the state while the calls run. */
async function crash(session: Session, ...tools: string[]): Promise<string> {
  const before = seen.length;
  for (const it of tools) void call(session, it);
  await until(() => seen.length === before + tools.length);
  const copy = join(bench.path, `copy-${copies++}`);
  cpSync(join(bench.path, 'state'), copy, {
    recursive: true,
    filter: (path) => !/\.(?:lock|sock)$|host\.sock/.test(path),
  });
  isDown = false;
  return copy;
}

async function start(state: string, options: Partial<HostOptions> = {}): Promise<Host> {
  const host = await createHost({ state, ...options });
  hosts.push(host);
  return host;
}

async function recovery(host: Host): Promise<JsonObject[]> {
  return (await host.auditTail(100)).filter((it) => it.kind === 'recovery').map((it) => it.body);
}

test('a call of an idempotent tool is repeated with the same key, another one never', async () => {
  const state = await crash(await sessionOf(bench.host), 'put', 'post');
  const host = await start(state);
  const unknown = (await host.outcomes.unknown()).map(({ tool, repeats }) => ({ tool, repeats }));
  expect(unknown).toHaveLength(2);
  expect(unknown).toContainEqual({ tool: 'desk/put', repeats: true });
  expect(unknown).toContainEqual({ tool: 'desk/post', repeats: false });
  const session = await sessionOf(host);
  await until(async () => (await host.outcomes.unknown()).length === 1);
  const [first, second] = requests('put');
  expect([requests('put').length, requests('post').length]).toEqual([2, 1]);
  expect(second?.key).toBe(first?.key);
  const entries = (await host.auditTail(100)).filter((it) => it.body.callId === first?.key);
  expect(entries.map(({ kind, body }) => [kind, body.status ?? body.repeats ?? null])).toEqual([
    ['intent', null],
    ['recovery', 'outcome_unknown'],
    ['intent', 1],
    ['outcome', 'ok'],
  ]);

  // The caller asks again and gets the answer of that call; the next one is a new call.
  const answer = await call(session, 'put');
  expect(answer).toMatchObject({ status: 'ok', callId: first?.key, result: { done: true } });
  expect(requests('put')).toHaveLength(2);
  await resultOf(call(session, 'put'));
  expect(new Set(requests('put').map((it) => it.key)).size).toBe(2);
});

test('arguments are sealed, and erased after the outcome', async () => {
  const state = await crash(await sessionOf(bench.host), 'put');
  const files = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile())
      .map((it) => readFileSync(join(it.parentPath, it.name)));
  expect(files(state).some((it) => it.includes(note))).toBe(false);
  const host = await start(state);
  await sessionOf(host);
  const database = openDatabase(state);
  const rows = () => database.selectFrom('repeatable_call').selectAll().execute();
  // Only the sealed answer is left, for a caller that asks again.
  await until(async () => (await rows())[0]?.answered_at !== null);
  await resultOf(call(await sessionOf(host), 'put'));
  expect(await rows()).toEqual([]);
  expect(files(state).some((it) => it.includes(note))).toBe(false);
  await database.destroy();
});

test('only a session of the same caller repeats it, with the same workspace and grants', async () => {
  const host = await start(await crash(await sessionOf(bench.host), 'put'));
  await sessionOf(host, { principal: 'another' });
  await sessionOf(host, { intent: 'look' });
  await sessionOf(host, { directories: [] });
  await sessionOf(host, { allow: [`net:127.0.0.1:${server.port}`, 'net:example.test'] });
  expect([requests('put').length, (await host.outcomes.unknown()).map((it) => it.repeats)]).toEqual([
    1,
    [true],
  ]);
  await sessionOf(host);
  await until(() => requests('put').length === 2);
});

/** What changed since the crash, and what the audit log says about it. */
const changes: [string, RegExp, (host: Host) => Promise<Session>, Partial<HostOptions>?][] = [
  [
    'the kill switch stops it, even if it was lifted again',
    /kill switch/,
    async (host) => {
      await host.kills.set('desk', 'operator', true);
      await host.kills.lift('desk', 'operator');
      return sessionOf(host);
    },
  ],
  [
    'a rule denies it now',
    /policy was changed/,
    (host) =>
      sessionOf(host, {
        policy: { rules: [{ tool: 'desk/*', approval: 'deny', origin: { kind: 'session' } }] },
      }),
  ],
  [
    'its package needs review',
    /review|changed/,
    async (host) => {
      bench.write({ 'desk/toolspace.json': manifest('Do quite another thing for a test.') });
      return sessionOf(host);
    },
  ],
  [
    'the package is disabled',
    /disabled/,
    async (host) => {
      await host.switches.set('desk', false, 'operator');
      return sessionOf(host);
    },
  ],
  [
    'it was called too long ago',
    /more than an hour ago/,
    (host) => sessionOf(host),
    { now: () => Date.now() + 3_700_000 },
  ],
  [
    'the operator acknowledged it',
    /acknowledged/,
    async (host) => {
      const [unknown] = await host.outcomes.unknown();
      await host.outcomes.acknowledge(unknown?.call ?? '', 'operator');
      return sessionOf(host);
    },
  ],
];

test.each(changes)('it is not repeated: %s', async (_what, reason, change, options) => {
  const host = await start(await crash(await sessionOf(bench.host), 'put'), options);
  await change(host);
  await until(async () => (await recovery(host)).some((it) => it.status === 'not_repeated'));
  expect((await recovery(host)).at(-1)?.reason).toMatch(reason);
  expect(requests('put')).toHaveLength(1);
});

test('a call that ends every host is given up after three starts', async () => {
  let state = await crash(await sessionOf(bench.host), 'put');
  for (let starts = 1; starts < 3; starts++) {
    isDown = true;
    const host = await start(state);
    await sessionOf(host);
    await until(() => requests('put').length === starts + 1);
    const next = join(bench.path, `copy-${copies++}`);
    cpSync(state, next, { recursive: true, filter: (path) => !/\.(?:lock|sock)$|host\.sock/.test(path) });
    state = next;
  }
  const host = await start(state);
  await sessionOf(host);
  await until(async () => (await recovery(host)).some((it) => it.status === 'not_repeated'));
  expect((await recovery(host)).at(-1)?.reason).toBe('3 hosts did not finish it');
  expect([requests('put').length, new Set(requests('put').map((it) => it.key)).size]).toEqual([3, 1]);
});

test('an approved call is repeated under its approval, and its token then gives the answer', async () => {
  const held = await call(await sessionOf(bench.host), 'erase');
  if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
  await bench.host.approvals.approve(held.confirmation.token, 'operator');
  const host = await start(await crash(await sessionOf(bench.host), 'erase'));
  const session = await sessionOf(host);
  await until(async () => (await host.approvals.get(held.confirmation.token)).state === 'executed');
  const confirm = {
    tool: 'patch_confirm_action',
    arguments: { confirmation_token: held.confirmation.token },
  };
  expect(await resultOf(session.call(confirm))).toEqual({ done: true });
  expect(requests('erase')).toHaveLength(2);
});

test('an approved call is not repeated after its approval expired', async () => {
  const held = await call(await sessionOf(bench.host), 'erase');
  if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
  await bench.host.approvals.approve(held.confirmation.token, 'operator');
  const state = await crash(await sessionOf(bench.host), 'erase');
  const host = await start(state, { now: () => Date.now() + 11 * 60_000 });
  await sessionOf(host);
  await until(async () => (await recovery(host)).some((it) => it.status === 'not_repeated'));
  expect(requests('erase')).toHaveLength(1);
});

test('a full limit does not count the call twice, and a tighter one stops it', async () => {
  const limit = (count: number) => ({
    policy: {
      rules: [
        {
          tool: 'desk/put',
          rateLimit: { count, per: 'hour' as const },
          origin: { kind: 'session' as const },
        },
      ],
    },
  });
  const host = await start(await crash(await sessionOf(bench.host, limit(1)), 'put'));
  const session = await sessionOf(host, limit(1));
  await until(() => requests('put').length === 2);
  await resultOf(call(session, 'put'));
  expect((await call(session, 'put')).status).toBe('denied');
});
