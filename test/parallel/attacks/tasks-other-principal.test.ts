// A task belongs to its principal: another one cannot see, answer or cancel it, and a flood of tasks has an end.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import type { McpServer } from '../../../src/serve/mcp/server.js';
import { BareClient, bugs, envelope, frontFor, type Message, partsFor } from '../../support/mcp-wire.js';
import { patchTool, until } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const slow = patchTool({ name: 'slow', body: '    import time\n    time.sleep(60)\n    return {}' });
const note = patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' });
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

let bench: Workbench;
let session: Session;
let owner: BareClient;
let other: BareClient;
const fronts: McpServer[] = [];
let nextId = 0;

function open(principal: string, of: Session): BareClient {
  const parts = { ...partsFor(), taskAfterMs: 100 };
  const front = frontFor({ host: bench.host, session: of, principal, parts });
  fronts.push(front);
  return new BareClient(front);
}

async function ask(via: BareClient, method: string, params: object): Promise<Message> {
  const reply = await via.request(method, { ...params, ...envelope(capabilities) }, `r${++nextId}`);
  return (reply.result ?? reply.error) as Message;
}
const call = (name: string, text = 'x') => ask(owner, 'tools/call', { name, arguments: { text } });

beforeEach(async () => {
  bench = await workbench({ 'slow.py': slow, 'note.py': note }, { warm: false });
  session = await bench.session({ principal: 'owner' });
  owner = open('owner', session);
  other = open('other', await bench.session({ principal: 'other' }));
});

afterEach(async () => {
  for (const it of fronts.splice(0)) it.close();
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

test('the id of a task is worth nothing to another principal', async () => {
  const { taskId } = await call('slow');
  const unknown = await ask(other, 'tasks/get', { taskId: 'A'.repeat(22) });
  expect(unknown).toMatchObject({ code: -32602 });
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect(await ask(other, method, { taskId, inputResponses: {} })).toEqual(unknown);
  const params = { notifications: { taskIds: [taskId] }, ...envelope(capabilities) };
  other.send({ jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params });
  const granted = await other.next((it) => it.method === 'notifications/subscriptions/acknowledged');
  expect(granted).toMatchObject({ params: { notifications: {} } });
  expect(JSON.stringify(granted)).not.toContain(taskId);
  // The control: its owner sees it, still working, and can cancel it.
  expect(await ask(owner, 'tasks/get', { taskId })).toMatchObject({ status: 'working' });
  await ask(owner, 'tasks/cancel', { taskId });
  expect(await ask(owner, 'tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
});

test('a client that may not approve cannot approve by an answer to its task', async () => {
  const { taskId } = await call('note');
  const [held] = await bench.host.approvals.list();
  const inputResponses = { [`approval-${held?.id}`]: { action: 'accept', content: { approve: true } } };
  await ask(owner, 'tasks/update', { taskId, inputResponses });
  expect(await ask(owner, 'tasks/get', { taskId })).toMatchObject({ status: 'input_required' });
  expect((await bench.host.approvals.get(held?.id ?? '')).state).toBe('proposed');
});

test('a held task that a person denied never has a result, however often it is read', async () => {
  const { taskId } = await call('note');
  const [held] = await bench.host.approvals.list();
  await bench.host.approvals.deny(held?.id ?? '', 'person');
  await until(async () => (await ask(owner, 'tasks/get', { taskId })).status === 'completed');
  for (let i = 0; i < 2; i++) {
    const read = await ask(owner, 'tasks/get', { taskId });
    expect(read).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(read)).not.toContain('noted');
  }
});

test('a flood of held calls makes at most 32 tasks of one principal', async () => {
  const first = await Promise.all(Array.from({ length: 40 }, (_, i) => call('note', `n${i}`)));
  const tasks = first.filter((it) => it.resultType === 'task');
  expect(tasks.length).toBeGreaterThan(0);
  expect(tasks.length).toBeLessThanOrEqual(32);
  expect(await bench.host.tasks.list('owner')).toHaveLength(tasks.length);
});

test('a kill ends the call of a task', async () => {
  const { taskId } = await call('slow');
  expect(bench.host.activeCalls()).toBe(1);
  await bench.host.kills.set('slow', 'test');
  await until(() => bench.host.activeCalls() === 0);
  await until(async () => (await ask(owner, 'tasks/get', { taskId })).status === 'completed');
  expect(await ask(owner, 'tasks/get', { taskId })).toMatchObject({ result: { isError: true } });
});
