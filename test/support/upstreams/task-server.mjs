// An MCP server over stdio whose tools run as tasks, in the form of both eras. Written by hand: the official SDK has no
// tasks of the 2026 era. It counts cancellations in the tool "count".
import { createInterface } from 'node:readline';

const extension = 'io.modelcontextprotocol/tasks';
const none = { type: 'object', properties: {} };
const tool = (name, properties = {}, more = {}) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties },
  ...more,
});
const required = { execution: { taskSupport: 'required' } };
const optional = { execution: { taskSupport: 'optional' } };
const tools = [
  tool('greet', { name: { type: 'string' } }),
  tool('slow_compute', { seconds: { type: 'number' }, label: { type: 'string' } }, optional),
  tool('failing_job', {}, required),
  tool('protocol_error_job', {}, required),
  tool('confirm_delete', { filename: { type: 'string' } }, required),
  tool('multi_input', {}, required),
  tool('many_inputs', {}, required),
  tool('think', {}, required),
  tool('asks_late', {}, required),
  tool('test_tool_with_task', {}, required),
  { name: 'count', description: 'How many tasks were canceled.', inputSchema: none },
];

const text = (value, more = {}) => ({ content: [{ type: 'text', text: value }], ...more });
const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const question = (message, field) => ({
  message,
  requestedSchema: {
    type: 'object',
    properties: { [field]: { type: field === 'name' ? 'string' : 'boolean' } },
  },
});

/** What each tool does. `ask` asks the user. */
const work = {
  greet: async ({ name }) => text(`Hello, ${name}!`),
  slow_compute: async ({ seconds = 0, label = '' }, { status }) => {
    status(`computing ${label}`);
    await wait(seconds);
    return text(`computed ${label}`);
  },
  failing_job: async () => {
    await wait(1);
    return text('it failed', { isError: true });
  },
  protocol_error_job: async () => {
    await wait(0.1);
    throw Object.assign(new Error('it broke'), { code: -32603 });
  },
  confirm_delete: async ({ filename }, { ask }) => {
    const { action, content } = await ask(question(`Delete ${filename}?`, 'confirm'));
    return text(action === 'accept' && content?.confirm ? `deleted ${filename}` : `kept ${filename}`);
  },
  multi_input: async (_, { ask }) => {
    const answers = await Promise.all([ask(question('First?', 'name')), ask(question('Second?', 'name'))]);
    return text(answers.map((it) => it.content?.name).join(' and '));
  },
  many_inputs: async (_, { ask }) => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => ask(question(`${at}?`, 'name'))));
    return text(answers.map((it) => `${it.action} ${it.content?.name}`).join());
  },
  asks_late: async (_, { ask }) => {
    const { action } = await ask(question('Now?', 'confirm'));
    return text(action);
  },
  think: async (_, { ask }) => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Think.' } }];
    const { content } = await ask({ messages, maxTokens: 10 }, 'sampling/createMessage');
    return content === undefined ? text('no thought', { isError: true }) : text(`thought: ${content.text}`);
  },
  test_tool_with_task: async (_, { given }) => text(`done for ${given}`),
  count: async () => text(String(canceled)),
};

const tasks = new Map();
let made = 0;
let canceled = 0;
let asked = 0;
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function startTask(name, args, given) {
  const id = `task-${++made}`;
  const task = {
    id,
    name,
    sent: new Set(),
    status: 'working',
    message: 'started',
    at: new Date().toISOString(),
    questions: new Map(),
    wake: [],
  };
  const changed = () => {
    for (const wake of task.wake.splice(0)) wake();
  };
  const end = (status, more) => {
    if (task.status !== 'cancelled') Object.assign(task, { status, ...more });
    changed();
  };
  const ask = (params, method = 'elicitation/create') =>
    new Promise((settle) => {
      task.questions.set(`ask-${++asked}`, { method, params, settle });
      task.status = 'input_required';
      changed();
    });
  const status = (message) => {
    task.message = message;
  };
  work[name](args, { ask, status, given }).then(
    (result) => end('completed', { result }),
    (error) => end('failed', { error: { code: error.code ?? -32603, message: error.message } }),
  );
  tasks.set(id, task);
  return task;
}

function answerQuestion(task, key, answer) {
  const found = task.questions.get(key);
  if (found === undefined) return;
  task.questions.delete(key);
  if (task.questions.size === 0) task.status = 'working';
  found.settle(answer);
}

const shown = ({ id, status, message, at }) => ({
  taskId: id,
  status,
  statusMessage: message,
  createdAt: at,
  lastUpdatedAt: at,
});

const shown2026 = (task) => ({
  ...shown(task),
  ttlMs: 60_000,
  pollIntervalMs: 50,
});

function detailed(task) {
  const { status, result, error, questions } = task;
  const requests = [...questions].map(([key, { method, params }]) => [key, { method, params }]);
  return {
    ...shown2026(task),
    ...(status === 'completed' ? { result: { resultType: 'complete', ...result } } : {}),
    ...(status === 'failed' ? { error } : {}),
    ...(status === 'input_required' ? { inputRequests: Object.fromEntries(requests) } : {}),
  };
}

const cancel = (task) => {
  if (['completed', 'failed', 'cancelled'].includes(task.status)) return;
  canceled++;
  task.status = 'cancelled';
  for (const wake of task.wake.splice(0)) wake();
};

const fail = (code, message, data) => {
  throw Object.assign(new Error(message), { code, data });
};
const find = ({ taskId }) => tasks.get(taskId) ?? fail(-32602, 'no such task');

async function answer2026(method, params) {
  const declared = params._meta?.['io.modelcontextprotocol/clientCapabilities']?.extensions?.[extension];
  switch (method) {
    case 'server/discover':
      return {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, extensions: { [extension]: {} } },
        ttlMs: 1000,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'tasks', version: '1.0.0' } },
      };
    case 'tools/list':
      return { tools, ttlMs: 1000, cacheScope: 'private' };
    case 'tools/call': {
      const { name, arguments: args = {}, inputResponses, requestState } = params;
      if (name === 'test_tool_with_task' && requestState !== 'asked')
        return {
          resultType: 'input_required',
          inputRequests: {
            user_name: { method: 'elicitation/create', params: question('Your name?', 'name') },
          },
          requestState: 'asked',
        };
      const given = inputResponses?.user_name?.content?.name;
      if (declared && !['greet', 'count'].includes(name))
        return { resultType: 'task', ...shown2026(startTask(name, args, given)) };
      const { execution } = tools.find((it) => it.name === name) ?? fail(-32602, 'no such tool');
      if (execution?.taskSupport === 'required') fail(-32021, 'tasks are needed');
      return work[name](args, { status: () => {}, given });
    }
    case 'tasks/get':
      return detailed(find(params));
    case 'tasks/update':
      for (const [key, answer] of Object.entries(params.inputResponses))
        answerQuestion(find(params), key, answer);
      return {};
    case 'tasks/cancel':
      cancel(find(params));
      return {};
    default:
      return fail(-32601, `unknown method ${method}`);
  }
}

const shown2025 = (task) => ({ ...shown(task), ttl: 60_000, pollInterval: 50 });
const waiting = new Map();

const relatedTo = (task) => ({ 'io.modelcontextprotocol/related-task': { taskId: task.id } });

function sendQuestions(task) {
  for (const [key, it] of task.questions) {
    if (task.sent.has(key)) continue;
    task.sent.add(key);
    waiting.set(key, (answer) => answerQuestion(task, key, answer));
    write({ id: key, method: it.method, params: { ...it.params, _meta: relatedTo(task) } });
  }
}

async function answer2025(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        serverInfo: { name: 'tasks', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call': {
      const { name, arguments: args = {}, task } = params;
      const { execution } = tools.find((it) => it.name === name) ?? fail(-32602, 'no such tool');
      if (task !== undefined && execution !== undefined) return { task: shown2025(startTask(name, args)) };
      if (execution?.taskSupport === 'required') fail(-32601, 'the tool needs a task');
      return work[name](args, { status: () => {} });
    }
    case 'tasks/get': {
      const task = find(params);
      if (task.name === 'asks_late' && task.sent.size === 0) {
        sendQuestions(task);
        await wait(0.05);
      }
      return shown2025(task);
    }
    case 'tasks/cancel':
      cancel(find(params));
      return shown2025(find(params));
    case 'tasks/result': {
      const task = find(params);
      const meta = relatedTo(task);
      while (!['completed', 'failed', 'cancelled'].includes(task.status)) {
        // This one asks while its task is looked at.
        if (task.name !== 'asks_late') sendQuestions(task);
        await new Promise((resolve) => task.wake.push(resolve));
      }
      if (task.status === 'completed') return { ...task.result, _meta: meta };
      return fail(-32603, task.error?.message ?? 'the task was canceled');
    }
    default:
      return fail(-32601, `unknown method ${method}`);
  }
}

const is2026 = process.argv[2] !== '2025';
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params = {}, result } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { action: 'cancel' });
  if (id === undefined) return;
  try {
    if (is2026 && method === 'initialize') fail(-32022, 'only 2026', { supported: ['2026-07-28'] });
    const answer = is2026
      ? { resultType: 'complete', ...(await answer2026(method, params)) }
      : await answer2025(method, params);
    write({ id, result: answer });
  } catch ({ code = -32603, message, data }) {
    write({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }
});
