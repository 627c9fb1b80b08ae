// SECURITY.md: "An agent never approves for the person". The agent writes what its client sends, so it answers the
// questions to its user itself.
import { randomUUID } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  Client,
  type ClientCapabilities,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSocketServer, type SocketServer } from '../../../src/serve/socket/server.js';
import { readLines } from '../../../src/wire/lines.js';
import { claim, type HttpBench, httpBench, modern } from '../../support/http-bench.js';
import { envelope, type Message } from '../../support/mcp-wire.js';
import { until } from '../../support/toolwharf.js';

const pin = ['nobody', 'knows', '1'].join('-');
const person = { name: 'person', channel: 'terminal', pin } as const;
const capabilities: ClientCapabilities = { elicitation: {} };
const yes: ElicitResult = { action: 'accept', content: { approve: true } };
const call = { name: 'send_note', arguments: { text: 'mine' } };

let home: HttpBench;
let socketServer: SocketServer;
let socketPath: string;
beforeEach(async () => {
  home = await httpBench();
  await home.bench.host.operator.setPin(pin, 'person');
  socketPath = join(home.bench.path, 'state', 'host.sock');
  const onBug = (error: unknown) => home.bench.bugs.push(error);
  socketServer = await openSocketServer(home.bench.host, {
    state: join(home.bench.path, 'state'),
    path: socketPath,
    version: '1',
    now: Date.now,
    onBug,
  });
});
afterEach(async () => {
  await socketServer.close();
  await home.close();
  expect(home.bench.bugs).toEqual([]);
});

const ran = () => home.answers.filter((it) => it.status === 'ok').length;
const decisions = async () =>
  (await home.bench.host.auditTail(100)).filter((it) => it.kind === 'approval').map((it) => it.body);
const createToken = (name: string, mayApprove: boolean) =>
  home.bench.host.tokens.create({ name, role: 'agent', expiresAt: null, mayApprove, by: person });
const createKey = (name: string, mayApprove: boolean) =>
  home.bench.host.tokens.create({
    ...{ kind: 'stdio', user: 'alice', name, role: 'agent', expiresAt: null, mayApprove, by: person },
  } as const);

describe.each(['2025', '2026'])('an agent over HTTP, %s', (era) => {
  /** The result of a held call that the agent's own client approves, and the questions that it got. */
  async function selfApproved(token: string, name = 'agent'): Promise<{ text: string; questions: string[] }> {
    const mode = era === '2025' ? ('legacy' as const) : { pin: '2026-07-28' };
    const client = new Client({ name, version: '1' }, { capabilities, versionNegotiation: { mode } });
    const questions: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      return yes;
    });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${home.server.url}/mcp`), { requestInit }),
    );
    try {
      const { content } = (await client.callTool(call)) as { content: { text: string }[] };
      return { text: content[0]?.text ?? '', questions };
    } finally {
      await client.close();
    }
  }

  test('is not asked to approve its own call, and the call does not run', async () => {
    const { token } = (await createToken('plain', false)) as { token: string };
    for (const it of [token, home.agent, home.operator]) {
      const { text, questions } = await selfApproved(it);
      expect(questions).toEqual([]);
      const { status, confirmation_token: held, next } = JSON.parse(text);
      expect(status).toBe('confirmation_required');
      expect(next).toContain(`toolwharf approvals approve ${held}`);
    }
    expect([ran(), await decisions()]).toEqual([0, []]);
  });

  test('gains nothing from the client name of an allowed client', async () => {
    await createToken('desk', true);
    const { token } = await createToken('plain', false);
    expect((await selfApproved(token, 'desk')).questions).toEqual([]);
    expect([ran(), await decisions()]).toEqual([0, []]);
  });

  test('control: in a client that the operator allowed, the answer approves the call', async () => {
    const { token, entry } = await createToken('desk', true);
    const { text, questions } = await selfApproved(token);
    expect(questions).toHaveLength(1);
    expect(JSON.parse(text)).toEqual({ sent: 'mine' });
    expect(ran()).toBe(1);
    expect(await decisions()).toMatchObject([
      { decision: 'approved', by: entry.principal, channel: 'client', verified: false },
    ]);
  });
});

describe('an agent that invents the answer, 2026', () => {
  const approval = { approval: yes };
  const send = async (token: string, more: object, name = 'send_note') => {
    const _meta = { ...claim, 'io.modelcontextprotocol/clientCapabilities': capabilities };
    const { headers, body } = modern('tools/call', { ...call, ...more, name, _meta });
    return (await home.request('/mcp', { headers, body, token })).json;
  };

  test('cannot use an answer without a question, or the state of an allowed client', async () => {
    const allowed = await createToken('desk', true);
    const { token } = await createToken('plain', false);
    const invented = Buffer.from(JSON.stringify({ kind: 'held', approval: 'apr_1', nonce: 'x' })).toString(
      'base64url',
    );
    const { requestState } = (await send(allowed.token, {})).result;
    const held = await send(token, { inputResponses: approval });
    expect(held.result).toMatchObject({
      _meta: { 'toolwharf/status': 'confirmation_required' },
    });
    for (const state of [requestState, `${invented}.AAAA`, ''])
      expect(await send(token, { inputResponses: approval, requestState: state })).toMatchObject({
        error: { data: { reason: 'invalid_request_state' } },
      });
    expect([ran(), await decisions()]).toEqual([0, []]);
    // Control: the state is valid for the client that got it.
    expect(await send(allowed.token, { inputResponses: approval, requestState })).toMatchObject({
      result: { structuredContent: { sent: 'mine' } },
    });
  });

  test('cannot use a state after its token was revoked', async () => {
    const { token, entry } = await createToken('desk', true);
    const { requestState } = (await send(token, {})).result;
    await home.bench.host.tokens.revoke(entry.id, 'person');
    expect((await send(token, { inputResponses: approval, requestState })).error.code).toBe('auth_required');
    expect(ran()).toBe(0);
  });
});

/** A client on the socket, as `toolwharf mcp` opens it. */
class SocketClient {
  readonly received: Message[] = [];
  readonly #socket: Socket;
  closed = false;

  constructor(hello: object) {
    this.#socket = createConnection(socketPath);
    this.#socket.on('error', () => {});
    const { packages: folder, root } = home.bench;
    const asks = { intent: 'use', accept: null };
    const session = { directories: [folder], root, allow: [], environment: {}, policy: {}, ...asks };
    this.send({
      ...{ toolwharf: 'hello', version: '1', protocol: 'mcp', principal: 'alice/mcp', ...session },
      ...hello,
    });
    readLines(this.#socket, {
      line: (text) => {
        const message: Message = JSON.parse(text);
        this.received.push(message);
        if (message.method === 'elicitation/create')
          this.send({ jsonrpc: '2.0', id: message.id, result: yes });
      },
      end: () => {
        this.closed = true;
      },
    });
  }

  send(message: object): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  async answerTo(method: string, params: object): Promise<Message> {
    const id = randomUUID();
    this.send({ jsonrpc: '2.0', id, method, params });
    await until(() => this.received.some((it) => it.id === id) || this.closed);
    return this.received.find((it) => it.id === id) ?? { error: 'closed' };
  }

  leave(): void {
    this.#socket.destroy();
  }
}

describe.each(['2025', '2026'])('an agent over stdio, %s', (era) => {
  async function selfApproved(hello: object, name = 'agent'): Promise<Message> {
    const client = new SocketClient(hello);
    const info = { clientInfo: { name, version: '1' } };
    if (era === '2025') {
      await client.answerTo('initialize', { protocolVersion: '2025-11-25', capabilities, ...info });
      return client.answerTo('tools/call', call);
    }
    const first = await client.answerTo('tools/call', { ...call, ...envelope(capabilities) });
    const { requestState } = (first.result ?? {}) as { requestState?: string };
    const state = requestState === undefined ? {} : { requestState };
    const inputResponses = { approval: yes };
    return client.answerTo('tools/call', { ...call, ...envelope(capabilities), inputResponses, ...state });
  }
  const held = { result: { _meta: { 'toolwharf/status': 'confirmation_required' } } };

  test('cannot approve its own call without an allowed key, whatever name it claims', async () => {
    await createKey('desk', true);
    const { token } = await createKey('plain', false);
    expect(await selfApproved({})).toMatchObject(held);
    expect(await selfApproved({}, 'desk')).toMatchObject(held);
    expect(await selfApproved({ clientKey: token }, 'desk')).toMatchObject(held);
    expect([ran(), await decisions()]).toEqual([0, []]);
  });

  test('cannot claim the principal of an allowed client, or use another token as its key', async () => {
    const { entry } = await createKey('desk', true);
    const http = await createToken('desk', true);
    for (const hello of [
      { principal: entry.principal },
      { principal: 'http/desk' },
      { clientKey: http.token },
      { clientKey: home.operator },
      { clientKey: entry.id },
      { clientKey: '' },
    ]) {
      const client = new SocketClient(hello);
      await until(() => client.received.length > 0);
      expect(client.received[0], JSON.stringify(hello)).toMatchObject({ toolwharf: 'rejected' });
    }
    expect(ran()).toBe(0);
  });

  test('control: with the key of an allowed client, the answer approves the call', async () => {
    const { token, entry } = await createKey('desk', true);
    expect(entry.principal).toBe('alice/mcp/desk');
    expect(await selfApproved({ clientKey: token })).toMatchObject({
      result: { structuredContent: { sent: 'mine' } },
    });
    expect(await decisions()).toMatchObject([
      { decision: 'approved', by: 'alice/mcp/desk', channel: 'client', verified: false },
    ]);
  });
});

test('a revoked key disconnects its client, and does not connect again', async () => {
  const { token, entry } = await createKey('desk', true);
  const other = await createKey('other', false);
  const [client, bystander] = [token, other.token].map((clientKey) => new SocketClient({ clientKey }));
  await until(() => client?.received.length === 1 && bystander?.received.length === 1);
  await home.bench.host.tokens.revoke(entry.id, 'person');
  await until(() => client?.closed === true);
  expect(bystander?.closed).toBe(false);
  const again = new SocketClient({ clientKey: token });
  await until(() => again.received.length > 0);
  expect(again.received[0]).toMatchObject({ toolwharf: 'rejected', error: { code: 'auth_required' } });
});

test('the key of a stdio client is not a token for HTTP', async () => {
  const { token } = await createKey('desk', true);
  expect((await home.request('/api/v1/tools', { token })).status).toBe(401);
});

test('a program in the same process cannot name the channel "client" without an allowed token', async () => {
  const { host } = home.bench;
  const plain = await createToken('plain', false);
  const other = await createToken('other', true);
  const answer = await home.request('/api/v1/call', {
    body: { tool: call.name, arguments: call.arguments },
    token: plain.token,
  });
  const id = answer.json.confirmation.token as string;
  for (const client of [undefined, 'tok_made-up', plain.entry.id, other.entry.id]) {
    const by = { name: 'mallory', channel: 'client', ...(client === undefined ? {} : { client }) } as const;
    await expect(host.approvals.approve(id, by)).rejects.toMatchObject({ code: 'denied' });
  }
  expect((await host.approvals.get(id)).state).toBe('proposed');
});

test('clients without a key share one principal, and cannot use each other’s held calls', async () => {
  const hold = async (client: SocketClient) => {
    await client.answerTo('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });
    const { result } = (await client.answerTo('tools/call', call)) as {
      result: { content: { text: string }[] };
    };
    return JSON.parse(result.content[0]?.text ?? '').confirmation_token as string;
  };
  const [first, second] = [new SocketClient({}), new SocketClient({})];
  const [mine, theirs] = [await hold(first), await hold(second)];
  expect(mine).not.toBe(theirs);
  const requests = await home.bench.host.approvals.list();
  expect(requests.map((it) => it.principal)).toEqual(['alice/mcp', 'alice/mcp']);
  await home.bench.host.approvals.approve(mine, person);
  const confirm = { name: 'patch_confirm_action', arguments: { confirmation_token: mine } };
  expect(await second.answerTo('tools/call', confirm)).toMatchObject({
    result: { isError: true, _meta: { 'toolwharf/code': 'approval_not_found' } },
  });
  expect(ran()).toBe(0);
  // Control: the client that made the call can use the approval.
  expect(await first.answerTo('tools/call', confirm)).toMatchObject({
    result: { content: [{ text: '{"sent":"mine"}' }] },
  });
});
