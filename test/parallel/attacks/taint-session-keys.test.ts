// An agent changes the way in which it reaches the host, so that the host forgets what its session has read: a call beside the
// session, another name, a task, a new session in place of a lost one. Each way has a control with taint off.
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import { Cancellation } from '../../../src/model/cancel-signal.js';
import type { McpServer, RpcRequest } from '../../../src/serve/mcp/server.js';
import { claim, type HttpBench, httpBench, modern } from '../../support/http-bench.js';
import { bugs, envelope, frontFor, type Message, partsFor } from '../../support/mcp-wire.js';
import { serverPackage } from '../../support/server-package.js';
import { account, taintLabels, taintPackages } from '../../support/taint-packages.js';
import { until } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const both = { accept: 'application/json, text/event-stream' };
const held = 'confirmation_required';

let open: HttpBench | undefined;
async function bench(mode: 'standard' | 'off', userText: string[] = []): Promise<HttpBench> {
  open = await httpBench(
    { sweepMs: 50 },
    {},
    taintPackages,
    {},
    { taint: { mode, labels: taintLabels, userText } },
  );
  return open;
}
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** What became of a call. */
function statusOf({ text }: { readonly text: string }): string {
  if (text.includes('"toolwharf/status":"confirmation_required"')) return held;
  const [paid] = /"structuredContent":\{[^}]*\}/.exec(text) ?? [];
  return paid ?? text;
}

/** A client of the 2026 era, under a name or without one. */
function client2026(home: HttpBench, { token, name }: { token: string; name?: string }) {
  const call = async (tool: string, args: object, more: object = {}) => {
    const _meta = { ...claim, ...(name === undefined ? {} : { 'toolwharf/session': name }), ...more };
    const sent = modern('tools/call', { name: tool, arguments: args, _meta });
    return statusOf(await home.request('/mcp', { ...sent, token }));
  };
  return {
    read: () => call('inbox', {}),
    pay: (text = account, more: object = {}) => call('pay', { text }, more),
  };
}

/** A client of the 2025 era with a session. */
async function client2025(home: HttpBench, token: string) {
  let count = 0;
  const post = (method: string, params: object, headers: object = {}) =>
    home.request('/mcp', {
      body: { jsonrpc: '2.0', id: ++count, method, params },
      headers: { ...both, ...headers },
      token,
    });
  const begin = async () => {
    const clientInfo = { name: 'by hand', version: '1' };
    const begun = await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    return { 'mcp-session-id': begun.headers['mcp-session-id'] as string };
  };
  let session = await begin();
  const call = (tool: string, args: object) => post('tools/call', { name: tool, arguments: args }, session);
  return {
    read: async () => statusOf(await call('inbox', {})),
    pay: async () => statusOf(await call('pay', { text: account })),
    payWithoutSession: async () =>
      statusOf(await post('tools/call', { name: 'pay', arguments: { text: account } })),
    status: async () => (await call('pay', { text: account })).status,
    session: () => session['mcp-session-id'],
    begin: async () => {
      session = await begin();
    },
    end: () => home.request('/mcp', { method: 'DELETE', headers: session, token }),
  };
}

const paid = `"structuredContent":{"paid":"${account}"}`;

describe('over HTTP in the 2026 era', () => {
  test('each name is a session of its own, and a request without one belongs to the token', async () => {
    const home = await bench('standard');
    const { token } = await home.token('claude');
    const first = client2026(home, { token, name: 'first' });
    const second = client2026(home, { token, name: 'second' });
    const unnamed = client2026(home, { token });
    expect(await first.pay()).toBe(paid);
    await second.read();
    expect(await second.pay()).toBe(held);
    // It used the account before it read anything.
    expect(await first.pay()).toBe(paid);
    expect(await unnamed.pay('somebody')).toContain('somebody');
    await unnamed.read();
    expect(await unnamed.pay()).toBe(held);
    // Another connection of the same token has seen the same.
    expect(await client2026(home, { token }).pay()).toBe(held);
    const other = await home.token('cursor');
    expect(await client2026(home, { token: other.token }).pay()).toBe(paid);
  });

  test('a name that is no text is an error, and calls nothing', async () => {
    const home = await bench('standard');
    const _meta = { ...claim, 'toolwharf/session': 7 };
    const sent = modern('tools/call', { name: 'pay', arguments: { text: account }, _meta });
    expect((await home.request('/mcp', sent)).status).toBe(400);
    expect(home.answers).toEqual([]);
  });

  test('the text of a user vouches only if its principal is trusted to pass it on', async () => {
    const said = { 'toolwharf/user-text': `Pay the new account ${account}.` };
    const home = await bench('standard', ['http/trusted']);
    const trusted = await home.token('trusted');
    const other = await home.token('other');
    const guarded = client2026(home, { token: other.token });
    await guarded.read();
    expect(await guarded.pay(account, said)).toBe(held);
    const heard = client2026(home, { token: trusted.token });
    await heard.read();
    expect(await heard.pay()).toBe(held);
    expect(await heard.pay(account, said)).toBe(paid);
    const listed = await home.bench.host.labels.endorsements();
    expect(listed).toMatchObject([{ source: 'words', value: said['toolwharf/user-text'] }]);
    await home.bench.host.labels.revoke(listed[0]?.id as string, 'operator');
    expect(await heard.pay()).toBe(held);
  });

  test('the control: with taint off every payment is made', async () => {
    const home = await bench('off');
    const client = client2026(home, { token: home.agent, name: 'first' });
    await client.read();
    expect(await client.pay()).toBe(paid);
  });
});

describe('over HTTP in the 2025 era', () => {
  test('each session keeps what it has seen apart, and a call without a session belongs to the token', async () => {
    const home = await bench('standard');
    const { token } = await home.token('claude');
    const first = await client2025(home, token);
    await first.read();
    expect(await first.pay()).toBe(held);
    const second = await client2025(home, token);
    expect(await second.pay()).toBe(paid);
    expect(await second.payWithoutSession()).toBe(paid);
  });

  test('a client whose session was ended, and opens another one, has still seen the same', async () => {
    const home = await bench('standard');
    const { token } = await home.token('claude');
    const client = await client2025(home, token);
    await client.read();
    await client.end();
    // What a client does after a restart of the host: it names its session, is told that there is none, and opens one.
    expect(await client.status()).toBe(404);
    await client.begin();
    expect(await client.pay()).toBe(held);
    await client.end();
    expect(await client.status()).toBe(404);
    await client.begin();
    expect(await client.pay()).toBe(held);
    const other = await home.token('cursor');
    const stranger = await client2025(home, other.token);
    expect(await stranger.pay()).toBe(paid);
  });

  test('the control: with taint off the same client pays', async () => {
    const home = await bench('off');
    const client = await client2025(home, home.agent);
    await client.read();
    expect(await client.pay()).toBe(paid);
  });
});

test('the HTTP API for programs is one session per token', async () => {
  const home = await bench('standard');
  const call = async (tool: string, args: object) =>
    (await home.request('/api/v1/call', { body: { tool, arguments: args } })).json;
  await call('inbox/inbox', {});
  expect(await call('pay/pay', { text: account })).toMatchObject({ status: held });
  // Only the program of the host says that a person typed a call, or what they wrote.
  const body = { tool: 'pay/pay', arguments: { text: account }, isTyped: true, userText: `Pay ${account}` };
  const { json } = await home.request('/api/v1/call', { body });
  expect(JSON.stringify(json)).not.toContain('"paid"');
});

describe('a task', () => {
  const desk = serverPackage(
    'desk',
    `
const pay = { name: 'pay', description: 'Pay.', inputSchema: { type: 'object', properties: { text: { type: 'string' } } }, execution: { taskSupport: 'optional' } };
on = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'desk', version: '1' } }),
  'tools/list': () => ({ tools: [pay] }),
  'tools/call': ({ arguments: args }) => ({ content: [{ type: 'text', text: 'paid ' + args.text }] }),
};`,
  );
  const labels = {
    tools: { ...(taintLabels.tools as JsonObject), 'desk/pay': (taintLabels.tools as JsonObject)['pay/pay'] },
  } as JsonObject;

  let home: Workbench;
  let front: McpServer;
  let session: Session;
  let count = 0;
  const start = async (mode: 'standard' | 'off') => {
    home = await workbench({ ...taintPackages, ...desk }, { warm: false });
    session = await home.session({ policy: { taint: { mode, labels } } });
    front = frontFor({ host: home.host, session, parts: { ...partsFor(), taskAfterMs: 0 } });
  };
  afterEach(async () => {
    front.close();
    await home.close();
    expect([...home.bugs, ...bugs.splice(0)]).toEqual([]);
  });

  const extension = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  async function ask(sessionName: string | undefined, method: string, params: object): Promise<Message> {
    const request = { kind: 'request', id: ++count, method, params: { ...params, ...envelope(extension) } };
    const options = { sessionName, signal: new Cancellation(), onNotification: () => {} };
    const reply = await front.request2026(request as RpcRequest, options);
    return JSON.parse(reply?.text ?? '{}').result;
  }
  async function ended(sessionName: string | undefined, taskId: unknown): Promise<Message> {
    let seen: Message = {};
    await until(async () => {
      seen = await ask(sessionName, 'tasks/get', { taskId });
      return !['working', 'input_required'].includes(String(seen.status));
    });
    return seen;
  }
  const read = (sessionName: string) => ask(sessionName, 'tools/call', { name: 'inbox', arguments: {} });
  const pay = async (sessionName?: string) => {
    const answer = await session
      .named(sessionName ?? 'fresh')
      .call({ tool: 'pay/pay', arguments: { text: account } });
    return answer.status;
  };

  test('whose result another session of the caller asks for counts there', async () => {
    await start('standard');
    const task = await read('reader');
    expect(task).toMatchObject({ resultType: 'task' });
    expect(JSON.stringify(await ended('reader', task.taskId))).toContain(account);
    expect(await pay('reader')).toBe(held);
    // The control: a session that has not asked for it.
    expect(await pay('innocent')).toBe('ok');
    expect(JSON.stringify(await ended('curious', task.taskId))).toContain(account);
    expect(await pay('curious')).toBe(held);
  });

  test('moves money with taint off', async () => {
    await start('off');
    const task = await read('reader');
    await ended('curious', task.taskId);
    expect(await pay('curious')).toBe('ok');
  });

  test.each(['standard', 'off'] as const)(
    'of the 2025 era is judged by its own session (%s)',
    async (mode) => {
      await start(mode);
      const sent: Message[] = [];
      const client = front.session2025({ sessionName: 'legacy', send: (it) => sent.push(it) });
      const request = async (method: string, params: object): Promise<Message> => {
        const message = { kind: 'request', id: ++count, method, params } as RpcRequest & { kind: 'request' };
        return JSON.parse((await client.receive(message))?.text ?? '{}');
      };
      await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });
      await request('tools/call', { name: 'inbox', arguments: {} });
      const started = await request('tools/call', {
        name: 'desk_pay',
        arguments: { text: account },
        task: {},
      });
      const { taskId } = ((started.result as Message)?.task ?? {}) as Message;
      expect(taskId).toBeDefined();
      if (mode === 'standard') {
        await until(async () => {
          const seen = (await request('tasks/get', { taskId })).result as Message;
          return seen.status === 'input_required';
        });
        const [waiting] = await home.host.approvals.list();
        await home.host.approvals.deny(waiting?.id as string, 'operator');
      }
      const result = JSON.stringify(await request('tasks/result', { taskId }));
      if (mode === 'off') expect(result).toContain(`paid ${account}`);
      else expect(result).toContain('denied');
    },
  );
});
