// Tasks of the 2026 era for tools of this host: what a client sees, what survives, and what ends.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import * as codec from '@modelcontextprotocol/ext-tasks/core/v2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost, type Host, type Session } from '../../../../src/index.js';
import type { McpServer } from '../../../../src/serve/mcp/server.js';
import { BareClient, bugs, envelope, frontFor, type Message, partsFor } from '../../../support/mcp-wire.js';
import { patchTool, until } from '../../../support/toolwharf.js';
import { knownEffects, type Workbench, workbench } from '../../../support/workbench.js';

const slow = patchTool({
  name: 'slow',
  body: `    import time
    seconds = float(text)
    time.sleep(seconds)
    return {"slept": seconds}`,
});
const note = patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' });

let bench: Workbench;
let session: Session;
let front: McpServer;
let client: BareClient;
const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

beforeEach(async () => {
  bench = await workbench({ 'slow.py': slow, 'note.py': note }, { warm: false });
  session = await bench.session();
  front = frontFor({ host: bench.host, session });
  client = new BareClient(front);
});

afterEach(async () => {
  front.close();
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

let nextId = 0;
async function ask(method: string, params: object, capabilities: object = tasks, via = client) {
  const reply = await via.request(method, { ...params, ...envelope(capabilities) }, `r${++nextId}`);
  return (reply.result ?? reply.error) as Message;
}
const call = (name: string, text: string, capabilities?: object, via?: BareClient) =>
  ask('tools/call', { name, arguments: { text } }, capabilities, via);
const get = (task: Message, via?: BareClient) => ask('tasks/get', { taskId: task.taskId }, tasks, via);
async function ended(task: Message, via?: BareClient): Promise<Message> {
  let seen: Message = {};
  await until(async () => {
    seen = await get(task, via);
    return !['working', 'input_required'].includes(String(seen.status));
  });
  return seen;
}

test('a long call is a task, a short one an answer, and the codec of the extension accepts both', async () => {
  const patient = frontFor({ host: bench.host, session, parts: { ...partsFor(), taskAfterMs: 20_000 } });
  const short = await call('slow', '0', tasks, new BareClient(patient));
  patient.close();
  expect(short).toMatchObject({ resultType: 'complete', structuredContent: { slept: 0 } });
  const created = await call('slow', '1.5');
  expect(created).toMatchObject({ resultType: 'task', status: 'working' });
  expect(codec.isCreateTaskResultV2(created)).toBe(true);
  const working = await get(created);
  expect(codec.GetTaskResultV2Schema.safeParse(working).success).toBe(true);
  expect(working).not.toHaveProperty('result');
  const done = await ended(created);
  expect(codec.GetTaskResultV2Schema.safeParse(done).success).toBe(true);
  expect(codec.CallToolResultV2Schema.safeParse(done.result).success).toBe(true);
  expect(done).toMatchObject({ status: 'completed', result: { structuredContent: { slept: 1.5 } } });
});

test('a request that does not declare tasks gets none', async () => {
  const answer = await call('slow', '0.8', {});
  expect(answer).toMatchObject({ resultType: 'complete', structuredContent: { slept: 0.8 } });
  const created = await call('slow', '0.8');
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect(await ask(method, { taskId: created.taskId, inputResponses: {} }, {})).toMatchObject({
      code: -32021,
    });
});

test('a canceled task ends the process of its tool', async () => {
  const created = await call('slow', '60');
  expect(bench.host.activeCalls()).toBe(1);
  expect(await ask('tasks/cancel', { taskId: created.taskId })).toMatchObject({ resultType: 'complete' });
  expect(await ended(created)).toMatchObject({ status: 'cancelled' });
  await until(() => bench.host.activeCalls() === 0);
});

test('a held call is a task that waits for a person, and completes after the approval', async () => {
  const created = await call('note', 'hello');
  expect(created).toMatchObject({ resultType: 'task', status: 'input_required' });
  const held = await get(created);
  expect(codec.GetTaskResultV2Schema.safeParse(held).success).toBe(true);
  const [request] = await bench.host.approvals.list();
  expect(held.statusMessage).toContain(request?.id);
  await bench.host.approvals.approve(request?.id ?? '', 'person');
  expect(await ended(created)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { noted: 'hello' } },
  });
});

test('after a restart a result can be read, a held call is still held, and a running call failed', async () => {
  const finished = await call('slow', '0.8');
  await ended(finished);
  const held = await call('note', 'later');
  const running = await call('slow', '60');
  // The state as a killed host leaves it: a copy of what is on disk now.
  const state = join(bench.path, 'copied-state');
  cpSync(join(bench.path, 'state'), state, { recursive: true, filter: (it) => !it.endsWith('.sock') });
  const second = await restarted(state);
  try {
    const again = new BareClient(frontFor({ host: second.host, session: second.session }));
    expect(await get(finished, again)).toMatchObject({
      status: 'completed',
      result: { resultType: 'complete' },
    });
    expect(await get(running, again)).toMatchObject({ status: 'failed', error: { code: -32603 } });
    expect(await get(held, again)).toMatchObject({ status: 'input_required' });
    const [request] = await second.host.approvals.list();
    await second.host.approvals.approve(request?.id ?? '', 'person');
    expect(await ended(held, again)).toMatchObject({
      status: 'completed',
      result: { structuredContent: { noted: 'later' } },
    });
  } finally {
    await second.host.close();
  }
});

async function restarted(state: string): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ state, warm: false, onBug: (it) => bugs.push(it) });
  const again = await host.session({
    principal: 'agent',
    directories: [bench.packages],
    root: bench.root,
    policy: { rules: [knownEffects], taint: { mode: 'observe' } },
  });
  return { host, session: again };
}

test('changes of a task arrive through a subscription', async () => {
  const created = await call('slow', '1.2');
  const params = { notifications: { taskIds: [created.taskId, 'unknown'] } };
  client.send({
    jsonrpc: '2.0',
    id: 'listen',
    method: 'subscriptions/listen',
    params: { ...params, ...envelope(tasks) },
  });
  const acknowledged = await client.next((it) => it.method === 'notifications/subscriptions/acknowledged');
  expect(acknowledged).toMatchObject({ params: { notifications: { taskIds: [created.taskId] } } });
  const told = await client.next((it) => it.method === 'notifications/tasks');
  expect(codec.isTaskStatusNotificationV2(told)).toBe(true);
  expect(told).toMatchObject({ params: { taskId: created.taskId, status: 'completed' } });
  const refused = await ask('subscriptions/listen', params, {});
  expect(refused).toMatchObject({ code: -32021 });
});
