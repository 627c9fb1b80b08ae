// The kill switch denies new calls, ends running calls of every kind of tool, and stays active until it is lifted.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../../src/index.js';
import { running, sandboxed, waiting } from '../../support/processes.js';
import { type LoopbackServer, loopbackServer, until } from '../../support/toolwharf.js';
import {
  failureOf,
  findagent,
  pythonTool,
  resultOf,
  talos,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

let server: LoopbackServer;
let bench: Workbench;

const files = (port: number) => ({
  'sleep.py': pythonTool({
    name: 'sleep',
    head: ['import time'],
    body: ['time.sleep(float(text or "60"))', 'return {"slept": text}'],
  }),
  'say.py': pythonTool({ name: 'say', body: ['return {"echo": text}'] }),
  'ask.py': pythonTool({ name: 'ask', body: ['return {"echo": text}'], humanConfirm: true }),
  ...talos({
    id: 'worker',
    code: 'export const handlers = { quick() { return "ok"; }, slow() { return new Promise(() => {}); }, spin() { for (;;); } };\n',
    functions: ['quick', 'slow', 'spin'],
  }),
  'web/findagent.json': findagent('Web', {
    tools: [
      {
        name: 'hang',
        description: 'Ask a server that never answers.',
        input_schema: { type: 'object', properties: {} },
        annotations: { readOnlyHint: true },
        action: { type: 'http', method: 'GET', url: `http://127.0.0.1:${port}/hang` },
      },
      {
        name: 'through',
        description: 'Call a tool of another package.',
        input_schema: { type: 'object', properties: {} },
        action: { type: 'compose', agent: 'sleep', tool: 'sleep' },
      },
    ],
  }),
});

beforeAll(async () => {
  server = await loopbackServer(() => {});
  bench = await workbench(files(server.port));
});
afterAll(async () => {
  await bench.close();
  await server.close();
});

const session = (principal = 'agent') =>
  bench.session({ principal, allow: [`net:127.0.0.1:${server.port}`] });
const kills = () => bench.host.kills;

describe('a running call ends within two seconds', () => {
  const cases = [
    ['sleep/sleep', 'a program'],
    ['worker/slow', 'a function that waits'],
    ['worker/spin', 'a function that never returns'],
    ['web/hang', 'a request'],
    ['web/through', 'a tool that calls another tool'],
  ] as const;
  test.each(cases)('%s: %s', async (tool) => {
    const open = await session();
    const before = server.requests.length;
    const call = failureOf(open.call({ tool, arguments: {} }));
    await until(() =>
      tool === 'web/hang' ? server.requests.length > before : sandboxed(process.pid).length > 0,
    );
    const from = performance.now();
    const done = await kills().set(tool, 'tester');
    expect(await call).toMatchObject({ status: 'denied', code: 'killed' });
    await until(() => sandboxed(process.pid).length === 0, 2000);
    expect(performance.now() - from).toBeLessThan(2000);
    expect(done).toMatchObject({ changed: true, ended: 1 });
    expect(await failureOf(open.call({ tool, arguments: {} }))).toMatchObject({ code: 'killed' });
    expect(await kills().lift(tool, 'tester')).toBe(true);
  });
});

test('a kill stops exactly its target: one tool, one package or one principal', async () => {
  const open = await session();
  const other = await session('somebody/else');
  const say = (it: typeof open, tool = 'say/say') => it.call({ tool, arguments: { text: 'x' } });
  await kills().set('sleep/sleep', 'tester');
  expect(await resultOf(say(open))).toEqual({ echo: 'x' });
  const listed = (await open.tools()).map((it) => it.name);
  expect(listed).toContain('say/say');
  expect(listed).not.toContain('sleep/sleep');
  await kills().lift('sleep/sleep', 'tester');

  await kills().set('say', 'tester');
  expect(await failureOf(say(open))).toMatchObject({ code: 'killed' });
  const report = await open.packages();
  const state = report.packages.find((it) => it.id === 'say');
  expect(state).toMatchObject({ state: 'killed' });
  expect(state?.reasons.join()).toContain('tester');
  await kills().lift('say', 'tester');

  // The name of a user covers all clients of that user.
  await kills().set('principal:somebody', 'tester');
  expect(await failureOf(say(other))).toMatchObject({ code: 'killed' });
  expect(await failureOf(say(other, 'no/such'))).toMatchObject({ code: 'killed' });
  expect(await resultOf(say(open))).toEqual({ echo: 'x' });
  await kills().lift('principal:somebody', 'tester');
  expect(await resultOf(say(other))).toEqual({ echo: 'x' });
});

test('a kill ends idle processes of its target and no others', async () => {
  const open = await session();
  const other = await session('other');
  await kills().set('all', 'tester');
  await kills().lift('all', 'tester');
  await until(() => running().length === 0);
  await resultOf(open.call({ tool: 'worker/quick', arguments: {} }));
  const mine = running();
  await resultOf(other.call({ tool: 'worker/quick', arguments: {} }));
  expect([mine.length, running().length]).toEqual([1, 2]);
  await kills().set('principal:other', 'tester');
  await until(() => running().length === 1, 2000);
  expect(running()).toEqual(mine);
  // Also a prestarted sandbox.
  await resultOf(open.call({ tool: 'say/say', arguments: {} }));
  await waiting(2);
  await kills().set('worker', 'tester');
  await until(() => running().length === 0, 2000);
  for (const target of ['principal:other', 'worker']) await kills().lift(target, 'tester');
});

test('a kill voids proposed and given approvals, and lifting it does not restore them', async () => {
  const open = await session();
  const held = await open.call({ tool: 'ask/ask', arguments: { text: 'one' } });
  const approved = await open.call({ tool: 'ask/ask', arguments: { text: 'two' } });
  if (held.status !== 'confirmation_required' || approved.status !== 'confirmation_required')
    throw new Error('the calls were not held');
  await bench.host.approvals.approve(approved.confirmation.token, 'tester');
  expect(await kills().set('ask', 'tester')).toMatchObject({ voided: 2 });
  expect(await bench.host.approvals.list()).toEqual([]);
  await kills().lift('ask', 'tester');
  for (const { confirmation } of [held, approved]) {
    const token = { confirmation_token: confirmation.token };
    const answer = open.call({ tool: 'patch_confirm_action', arguments: token });
    expect(await failureOf(answer)).toMatchObject({ code: 'approval_expired' });
  }
});

test('the file KILL stops everything or the targets it names, and removing it lifts nothing', async () => {
  const open = await session();
  const say = () => open.call({ tool: 'say/say', arguments: { text: 'x' } });
  const file = join(bench.path, 'state', 'KILL');
  writeFileSync(file, '# for now\nsay\n');
  expect(await failureOf(say())).toMatchObject({ code: 'killed' });
  await resultOf(open.call({ tool: 'worker/quick', arguments: {} }));
  await expect(kills().lift('say', 'tester')).rejects.toThrow(/KILL still stops say/);
  rmSync(file);
  expect(await failureOf(say())).toMatchObject({ code: 'killed' });
  expect(await kills().lift('say', 'tester')).toBe(true);
  await resultOf(say());

  // The file is noticed without a new call.
  const sleeping = failureOf(open.call({ tool: 'sleep/sleep', arguments: {} }));
  await until(() => sandboxed(process.pid).some((it) => it.name.startsWith('python3')));
  writeFileSync(file, '');
  expect(await sleeping).toMatchObject({ code: 'killed' });
  rmSync(file);
  await kills().lift('all', 'tester');
  // A file that cannot be parsed stops everything.
  writeFileSync(file, 'a b c\n');
  expect(await failureOf(say())).toMatchObject({ code: 'killed' });
  rmSync(file);
  expect((await kills().list()).map((it) => it.target)).toEqual(['all']);
  await kills().lift('all', 'tester');
  expect(await kills().list()).toEqual([]);
});

test('a kill survives a restart of the host and is in the audit log', async () => {
  const state = join(bench.path, 'second');
  const options = { principal: 'agent', directories: [bench.packages], root: bench.root };
  const first = await createHost({ state });
  await first.kills.set('all', 'tester');
  await first.close();
  const second = await createHost({ state });
  const open = await second.session(options);
  expect(await failureOf(open.call({ tool: 'say/say', arguments: {} }))).toMatchObject({ code: 'killed' });
  expect(await open.tools()).toEqual([]);
  expect(await second.kills.lift('all', 'tester')).toBe(true);
  expect(await second.kills.lift('all', 'tester')).toBe(false);
  await resultOf(open.call({ tool: 'say/say', arguments: {} }));
  const operations = (await second.auditTail(50))
    .filter((it) => it.kind === 'operator')
    .map((it) => it.body.operation);
  expect(operations).toEqual(['kill', 'link', 'lift']);
  await second.close();
});

test('an invalid kill target is rejected', async () => {
  for (const target of ['', ' all', 'principal:', 'a b', 'x:y', '/x', 'x/'])
    await expect(kills().set(target, 'tester'), target).rejects.toThrow(/is not a kill target/);
});
