import { expect, test } from 'vitest';
import { noTasks } from '../../../test/support/no-tasks.js';
import type { Answer, CallRequest, ListedTool, PackageReport, Session } from '../../host/host.js';
import { lateInstallations } from '../../host/lifecycle/late-installations.js';
import type { JsonObject } from '../../model/json.js';
import { parseMessages } from './json-rpc.js';
import { createMcpServer } from './server.js';
import { createMcpServerParts } from './server-options.js';

const tool: ListedTool = {
  name: 'shop/orders',
  exposed: 'shop_orders',
  definition: 'd',
  tool: {
    name: 'orders',
    description: 'List orders.',
    input: {
      type: 'object',
      properties: { n: { $ref: '#/$defs/n' } },
      $defs: { n: { type: 'integer' } },
      additionalProperties: false,
    },
    output: { type: 'array', items: { type: 'string' } },
    annotations: { readOnlyHint: false, title: 'Orders' },
    effect: 'read',
    effectDeclared: true,
    idempotent: true,
    untrustedInputs: [],
    approval: 'none',
    examples: [],
    action: null,
  },
};

const report: PackageReport = {
  packages: [
    {
      id: 'shop',
      version: '1.0.0',
      format: 'patch',
      path: 'shop.py',
      state: 'ready',
      reasons: [],
      sandbox: 'enforced',
      tools: [{ name: 'orders', exposed: 'shop_orders', description: 'List orders.' }],
      diagnostics: [],
    },
  ],
  summary: { scanned: 1, found: 1, nested: 0, invalid: 0, disabled: 0, unavailable: 0 },
};

function client(call: (request: CallRequest) => Promise<Answer>, sent: JsonObject[] = []) {
  const bugs: unknown[] = [];
  const refuse = () => Promise.reject(new Error('not asked'));
  const session: Session = {
    packages: async () => report,
    tools: async () => [tool],
    call,
    promptMessages: refuse,
    note: refuse,
    subscribe: refuse,
    resources: async () => [],
    resource: refuse,
    message: refuse,
    explain: refuse,
    prompts: refuse,
    prompt: refuse,
    onChange: () => () => {},
    instructions: async () => [],
    complete: async () => ({ values: [] }),
    review: refuse,
    source: refuse,
    page: refuse,
    accept: refuse,
    install: refuse,
    registries: { list: refuse, search: refuse, info: refuse, reviews: refuse, decideReview: refuse },
    learning: { watch: refuse, propose: refuse, apply: refuse, undo: refuse },
    consoleLink: refuse,
    requestInstall: refuse,
    installations: lateInstallations(refuse),
    signIns: { list: refuse, check: refuse, begin: refuse, finish: refuse, signOut: refuse },
    waivers: refuse,
    acceptWaiver: refuse,
    named: () => session,
    close: async () => {},
  };
  const front = createMcpServer({
    ...createMcpServerParts({
      version: '9.9.9',
      state: null,
      now: () => 0,
      onBug: (error) => bugs.push(error),
    }),
    session,
    approvals: { approve: refuse, deny: refuse, get: refuse, onChange: () => () => {} },
    tasks: noTasks,
    principal: 'agent',
    holder: 'agent',
    expose: 'all',
    approver: null,
  });
  const dispatch = front.session2025({ send: (it) => sent.push(it) });
  const send = async (text: string) => {
    const [parsed] = parseMessages(text, false).messages;
    if (parsed === undefined) return undefined;
    const reply = 'error' in parsed ? parsed.error : await dispatch.receive(parsed.message);
    return reply === undefined ? undefined : JSON.parse(reply.text);
  };
  return {
    send,
    dispatch,
    bugs,
    request: (method: string, params: object = {}, id: number | string = 1) =>
      send(JSON.stringify({ jsonrpc: '2.0', id, method, params })),
  };
}

const base = { tool: 'shop/orders', callId: 'c', durationMs: 1 };
const ok: Answer = { ...base, status: 'ok', result: ['a'], warnings: [] };

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
  'the revision %s is supported',
  async (protocolVersion) => {
    expect(await client(async () => ok).request('initialize', { protocolVersion })).toMatchObject({
      result: { protocolVersion, serverInfo: { name: 'toolwharf', version: '9.9.9' } },
    });
  },
);

test('an unknown revision is answered with the newest one', async () => {
  expect(await client(async () => ok).request('initialize', { protocolVersion: '1999-01-01' })).toMatchObject(
    { result: { protocolVersion: '2025-11-25' } },
  );
});

test('input schemas are unchanged, output schemas become objects, and hints are corrected', async () => {
  const answer = (await client(async () => ok).request('tools/list')) as { result: { tools: unknown[] } };
  expect(answer.result.tools[0]).toEqual({
    name: 'shop_orders',
    description: 'List orders.',
    inputSchema: tool.tool.input,
    outputSchema: { type: 'object', properties: { result: tool.tool.output }, required: ['result'] },
    annotations: { title: 'Orders', readOnlyHint: true, idempotentHint: true },
    _meta: { 'toolwharf/tool': 'shop/orders', 'toolwharf/sandbox': 'enforced' },
  });
});

test('a question names the tools that may have asked it, each with a limited length', async () => {
  const sent: JsonObject[] = [];
  const _meta = { 'toolwharf/askers': ['orders', 'x'.repeat(5000)] };
  const { request } = client(async ({ onAsk }) => {
    void onAsk?.({ message: 'Which?', requestedSchema: {}, _meta });
    return ok;
  }, sent);
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } });
  await request('tools/call', { name: 'shop_orders' });
  const question = sent.find((it) => it.method === 'elicitation/create');
  const message = `A tool of the server of shop_orders (one of: orders, ${'x'.repeat(128)}) asks:\n\nWhich?`;
  expect(question?.params).toEqual({ message, requestedSchema: {} });
});

test('a denied call is a result that the model can read', async () => {
  const denied: Answer = {
    ...base,
    status: 'denied',
    error: { code: 'network_denied', message: 'no', hint: 'grant it' },
  };
  expect(await client(async () => denied).request('tools/call', { name: 'shop_orders' })).toMatchObject({
    result: {
      isError: true,
      content: [{ type: 'text', text: 'no\ngrant it' }],
      _meta: { 'toolwharf/status': 'denied', 'toolwharf/code': 'network_denied' },
    },
  });
});

test('structured content has the shape of the wrapped schema', async () => {
  expect(
    await client(async () => ok).request('tools/call', { name: 'shop_orders', arguments: { n: 1 } }),
  ).toMatchObject({ result: { structuredContent: { result: ['a'] }, content: [{ text: '["a"]' }] } });
});

test.each([
  ['{', -32700],
  ['[]', -32600],
  ['null', -32600],
  ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","id":1}', -32600],
  ['{"jsonrpc":"2.0","id":1,"method":"nothing/such"}', -32601],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602],
])('%s is answered with %i', async (text, code) => {
  expect(await client(async () => ok).send(text)).toMatchObject({ error: { code } });
});

test('notifications and responses get no answer', async () => {
  const { send } = client(async () => ok);
  expect(await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toBeUndefined();
  expect(await send('{"jsonrpc":"2.0","method":"notifications/unknown"}')).toBeUndefined();
  expect(await send('{"jsonrpc":"2.0","id":4,"result":{}}')).toBeUndefined();
});

test('a canceled call is aborted and gets no answer; a second request with its id is rejected', async () => {
  const { request, send } = client(
    ({ signal }) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve(ok))),
  );
  const running = request('tools/call', { name: 'shop_orders' }, 7);
  expect(await request('ping', {}, 7)).toMatchObject({ error: { code: -32600 } });
  await send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}');
  expect(await running).toBeUndefined();
});

test('the calls of a client are aborted when it disconnects', async () => {
  let ended = false;
  let begin = () => {};
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { request, dispatch } = client(
    ({ signal }) =>
      new Promise((resolve) => {
        begin();
        signal?.addEventListener('abort', () => {
          ended = true;
          resolve(ok);
        });
      }),
  );
  const running = request('tools/call', { name: 'shop_orders' });
  await started;
  dispatch.close();
  await running;
  expect(ended).toBe(true);
});

test('an internal error does not show its details', async () => {
  const { request, bugs } = client(async () => {
    throw new Error('password=hunter2');
  });
  const answer = await request('tools/call', { name: 'shop_orders' });
  expect(answer).toMatchObject({ error: { code: -32603 } });
  expect(JSON.stringify(answer)).not.toContain('hunter2');
  expect(bugs).toHaveLength(1);
});

test('batches are accepted only in the revision that defines them', async () => {
  const { dispatch, request } = client(async () => ok);
  expect(dispatch.batches).toBe(false);
  await request('initialize', { protocolVersion: '2025-03-26' });
  expect(dispatch.batches).toBe(true);
  const text = '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7]';
  expect(parseMessages(text, true)).toMatchObject({
    batch: true,
    messages: [{ message: { id: 1 } }, { message: { kind: 'notification' } }, { error: { code: -32600 } }],
  });
  expect(parseMessages('[]', true)).toMatchObject({
    batch: false,
    messages: [{ error: { code: -32600 } }],
  });
  expect(parseMessages(text, false)).toMatchObject({
    batch: false,
    messages: [{ error: { code: -32600 } }],
  });
});
