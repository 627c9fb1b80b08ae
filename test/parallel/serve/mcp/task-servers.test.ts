// Servers behind the host whose tools run as tasks, of both eras, for clients of both eras.
import { join } from 'node:path';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../../src/index.js';
import type { McpServer } from '../../../../src/serve/mcp/server.js';
import { upstreams } from '../../../support/mcp-upstream.js';
import {
  BareClient,
  bugs,
  type Era,
  envelope,
  frontFor,
  type Message,
  officialClient,
} from '../../../support/mcp-wire.js';
import { scriptPackage } from '../../../support/server-package.js';
import { until } from '../../../support/toolwharf.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

const eras: readonly Era[] = ['2025', '2026'];
const script = join(upstreams, 'task-server.mjs');
let bench: Workbench;
let session: Session;
const fronts: McpServer[] = [];

beforeAll(async () => {
  bench = await workbench(
    Object.assign({}, ...eras.map((era) => scriptPackage(`jobs-${era}`, script, [era]))),
  );
  session = await bench.session({ policy: { serverRequests: ['sampling'] } });
});

afterEach(() => {
  for (const it of fronts.splice(0)) it.close();
});

afterAll(async () => {
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

function open(): McpServer {
  const front = frontFor({ host: bench.host, session });
  fronts.push(front);
  return front;
}

let nextId = 0;
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
function requester(client: BareClient) {
  return async (method: string, params: object, declared: object = capabilities) => {
    const reply = await client.request(method, { ...params, ...envelope(declared) }, `r${++nextId}`);
    return (reply.result ?? reply.error) as Message;
  };
}

describe.each(eras)('a server of %s', (server) => {
  const name = (tool: string) => `jobs-${server}_${tool}`;

  test.each(eras)('a %s client without tasks gets ordinary answers', async (era) => {
    const asked: string[] = [];
    const client = await officialClient(open(), era, { capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { confirm: true } };
    });
    const { content } = await client.callTool({ name: name('confirm_delete'), arguments: { filename: 'a' } });
    expect(content).toEqual([{ type: 'text', text: 'deleted a' }]);
    expect(asked).toHaveLength(1);
    const slow = await client.callTool({
      name: name('slow_compute'),
      arguments: { seconds: 0.2, label: 'x' },
    });
    expect(slow.content).toEqual([{ type: 'text', text: 'computed x' }]);
    await client.close();
  });

  test('a question that arrives while the task is looked at is asked once', async () => {
    const asked: string[] = [];
    const client = await officialClient(open(), '2025', { capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      // Longer than the look takes.
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { action: 'accept', content: {} };
    });
    const call = { name: name('asks_late'), arguments: {} };
    const { content } = await client.callTool(call, { onprogress: () => {} });
    expect(content).toEqual([{ type: 'text', text: 'accept' }]);
    expect(asked).toHaveLength(1);
    await client.close();
  });

  test('canceling the call of a client without tasks cancels the task of the server', async () => {
    const client = await officialClient(open(), '2025', { capabilities: { elicitation: {} } });
    const stop = new AbortController();
    client.setRequestHandler('elicitation/create', () => {
      stop.abort();
      return new Promise<never>(() => {});
    });
    const count = async () => {
      const { content } = await client.callTool({ name: name('count'), arguments: {} });
      return Number((content as { text: string }[])[0]?.text);
    };
    const before = await count();
    const call = { name: name('confirm_delete'), arguments: {} };
    await expect(client.callTool(call, { signal: stop.signal })).rejects.toThrow();
    await until(async () => (await count()) === before + 1);
    await client.close();
  });

  test('questions of a task are its input requests, and are answered one by one', async () => {
    const ask = requester(new BareClient(open()));
    const created = await ask('tools/call', { name: name('multi_input'), arguments: {} });
    const { taskId } = created;
    expect(created).toMatchObject({ resultType: 'task' });
    let seen: Message = {};
    await until(async () => {
      seen = await ask('tasks/get', { taskId });
      return Object.keys((seen.inputRequests as object | undefined) ?? {}).length === 2;
    });
    const [first, second] = Object.keys(seen.inputRequests as object);
    const answer = (key: string | undefined, value: string) =>
      ask('tasks/update', {
        taskId,
        inputResponses: { [String(key)]: { action: 'accept', content: { name: value } }, unknown: {} },
      });
    await answer(first, 'one');
    expect(Object.keys((await ask('tasks/get', { taskId })).inputRequests as object)).toEqual([second]);
    await answer(second, 'two');
    await until(async () => (await ask('tasks/get', { taskId })).status === 'completed');
    expect(await ask('tasks/get', { taskId })).toMatchObject({
      result: { content: [{ type: 'text', text: 'one and two' }] },
    });
  });

  test('questions beyond those that a task shows at once wait for their turn', async () => {
    const ask = requester(new BareClient(open()));
    const { taskId } = await ask('tools/call', { name: name('many_inputs'), arguments: {} });
    let seen: Message = {};
    const shown = () => Object.keys((seen.inputRequests as object | undefined) ?? {});
    await until(async () => {
      seen = await ask('tasks/get', { taskId });
      expect(shown().length).toBeLessThanOrEqual(8);
      const answers = shown().map((key) => [key, { action: 'accept', content: { name: 'x' } }]);
      if (answers.length > 0)
        await ask('tasks/update', { taskId, inputResponses: Object.fromEntries(answers) });
      return seen.status === 'completed';
    }, 20_000);
    const text = Array.from({ length: 12 }, () => 'accept x').join();
    expect(seen).toMatchObject({ result: { content: [{ type: 'text', text }] } });
  });

  test('a task passes a request for sampling on to its 2026 client', async () => {
    const ask = requester(new BareClient(open()));
    const declared = { ...capabilities, sampling: {} };
    const created = await ask('tools/call', { name: name('think'), arguments: {} }, declared);
    expect(created).toMatchObject({ resultType: 'task' });
    const { taskId } = created;
    let seen: Message = {};
    await until(async () => {
      seen = await ask('tasks/get', { taskId });
      return seen.status === 'input_required';
    });
    const [[key, request]] = Object.entries(seen.inputRequests as object) as [[string, Message]];
    expect(request).toMatchObject({
      method: 'sampling/createMessage',
      params: { maxTokens: 10, _meta: { 'toolwharf/package': `jobs-${server}` } },
    });
    const answer = { model: 'tiny', role: 'assistant', content: { type: 'text', text: 'hm' } };
    // A form is not an answer to this request.
    const wrong = { [key]: { action: 'accept', content: {} } };
    await ask('tasks/update', { taskId, inputResponses: wrong });
    expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'input_required' });
    await ask('tasks/update', { taskId, inputResponses: { [key]: answer } });
    await until(async () => (await ask('tasks/get', { taskId })).status === 'completed');
    expect(await ask('tasks/get', { taskId })).toMatchObject({
      result: { content: [{ type: 'text', text: 'thought: hm' }] },
    });
  });

  test.each(['answers', 'rejects'])(
    'a task passes a request for sampling on to its 2025 client, which %s it',
    async (how) => {
      const client = new BareClient(open());
      const params = { protocolVersion: '2025-11-25', capabilities: { sampling: {} }, clientInfo: {} };
      await client.request('initialize', params, 'i');
      client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const call = { name: name('think'), arguments: {}, task: { ttl: 60_000 } };
      const created = (await client.request('tools/call', call, 'c')).result as Message;
      const { taskId } = created.task as Message;
      client.send({ jsonrpc: '2.0', id: 'wait', method: 'tasks/result', params: { taskId } });
      const { id, params: asked } = await client.next((it) => it.method === 'sampling/createMessage');
      const related = { 'io.modelcontextprotocol/related-task': { taskId } };
      expect(asked).toMatchObject({
        maxTokens: 10,
        _meta: { ...related, 'toolwharf/package': `jobs-${server}` },
      });
      const answer = { model: 'tiny', role: 'assistant', content: { type: 'text', text: 'hm' } };
      const error = { code: -1, message: 'the user rejected it' };
      client.send({ jsonrpc: '2.0', id, ...(how === 'answers' ? { result: answer } : { error }) });
      const { result } = await client.next((it) => it.id === 'wait');
      if (how === 'answers')
        expect(result).toMatchObject({ content: [{ type: 'text', text: 'thought: hm' }], _meta: related });
      else expect(result).toMatchObject({ isError: true });
    },
  );

  test('a protocol error of the server is a failed task, an error of the tool a completed one', async () => {
    const ask = requester(new BareClient(open()));
    const broken = await ask('tools/call', { name: name('protocol_error_job'), arguments: {} });
    const failing = await ask('tools/call', { name: name('failing_job'), arguments: {} });
    await until(async () => (await ask('tasks/get', { taskId: failing.taskId })).status === 'completed');
    expect(await ask('tasks/get', { taskId: failing.taskId })).toMatchObject({ result: { isError: true } });
    expect(await ask('tasks/get', { taskId: broken.taskId })).toMatchObject({
      status: 'failed',
      error: { code: -32603 },
    });
  });

  test('a canceled task is canceled at the server', async () => {
    const ask = requester(new BareClient(open()));
    const count = async () => (await ask('tools/call', { name: name('count'), arguments: {} })).content;
    const [before] = (await count()) as { text: string }[];
    const { taskId } = await ask('tools/call', {
      name: name('confirm_delete'),
      arguments: { filename: 'b' },
    });
    await until(async () => (await ask('tasks/get', { taskId })).status === 'input_required');
    await ask('tasks/cancel', { taskId });
    expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
    await until(async () => Number(((await count()) as { text: string }[])[0]?.text) > Number(before?.text));
  });

  test('the requester of the extension drives the tasks of a 2025 client', async () => {
    const client = await officialClient(open(), '2025');
    const tasks = createTaskSessionFromClient(client, { endpointId: 'host' });
    const execution = await tasks.callTool(name('failing_job'), {});
    const { outcome } = await execution.settle();
    expect((await bench.host.tasks.list('agent'))[0]).toMatchObject({ tool: name('failing_job') });
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ isError: true });
    await tasks.close();
    await client.close();
  });

  test('the requester of the extension drives the tasks of a 2026 client, with input', async () => {
    const front = open();
    const client = await officialClient(front, '2026');
    const bare = new BareClient(front);
    const tasks = createTaskSessionFromClient(client, {
      endpointId: 'host',
      rawDispatch: async (request) => {
        const { method, params } = request as { method: string; params: object };
        return (await bare.request(method, params, `d${++nextId}`)) as never;
      },
      v2RequestFraming: {
        protocolVersion: '2026-07-28',
        clientInfo: { name: 'test', version: '1' },
        clientCapabilities: { elicitation: {} },
      },
      onInputRequest: async () => ({ action: 'accept', content: { confirm: true } }) as never,
    });
    const execution = await tasks.callTool(name('confirm_delete'), { filename: 'd' });
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: 'text', text: 'deleted d' }] });
    await tasks.close();
    await client.close();
  });

  test('a 2025 client is asked while it waits for the result of its task', async () => {
    const client = new BareClient(open());
    const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: {} };
    const begun = await client.request('initialize', params, 'i');
    expect(begun.result).toMatchObject({ capabilities: { tasks: { requests: { tools: { call: {} } } } } });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const call = { name: name('confirm_delete'), arguments: { filename: 'e' }, task: { ttl: 60_000 } };
    const created = (await client.request('tools/call', call, 'c')).result as Message;
    const { taskId } = created.task as Message;
    const get = async () => (await client.request('tasks/get', { taskId }, `g${++nextId}`)).result as Message;
    await until(async () => (await get()).status === 'input_required');
    client.send({ jsonrpc: '2.0', id: 'wait', method: 'tasks/result', params: { taskId } });
    const question = await client.next((it) => it.method === 'elicitation/create');
    const related = { 'io.modelcontextprotocol/related-task': { taskId } };
    expect(question.params).toMatchObject({ _meta: related });
    client.send({
      jsonrpc: '2.0',
      id: question.id,
      result: { action: 'accept', content: { confirm: true } },
    });
    const { result } = await client.next((it) => it.id === 'wait');
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'deleted e' }], _meta: related });
    const refused = await client.request('tools/call', { ...call, name: name('greet') }, 'n');
    expect(refused.error).toMatchObject({ code: -32601 });
  });
});
