// A person answers the question about one held call late, when another one is held: after a restart of the host, behind
// `mcp --connect`, and after a takeover, behind `mcp`. The answer must not decide about the other call.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLines } from '../../../src/wire/lines.js';
import type { Message } from '../../support/mcp-wire.js';
import {
  loopbackServer,
  main,
  patchTool,
  temporaryFolder,
  toolwharf,
  until,
} from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let tools: string;
let state: string[];
const started: ChildProcessWithoutNullStreams[] = [];

beforeEach(() => {
  folder = temporaryFolder({
    'tools/note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }),
  });
  tools = join(folder.path, 'tools');
  state = ['--state', join(folder.path, 'state')];
});
afterEach(async () => {
  for (const it of started.splice(0)) await end(it, 'SIGTERM');
  folder.remove();
});

function start(args: readonly string[]): ChildProcessWithoutNullStreams {
  const env = { ...process.env, TOOLWHARF_IDLE: '1s', HOME: folder.path };
  const child = spawn(process.execPath, [main, ...args], { env });
  started.push(child);
  return child;
}

async function end(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('close', resolve));
  child.kill(signal);
  await over;
}

/** The host in the foreground. Port 0: any. Returns its process and port. */
async function serve(port: number): Promise<{ child: ChildProcessWithoutNullStreams; port: number }> {
  const child = start(['serve', tools, '--json', '--port', String(port), '--expose', 'all', ...state]);
  let [printed, errors] = ['', ''];
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  await until(() => printed.includes('\n') || child.exitCode !== null, 20_000);
  if (child.exitCode !== null) throw new Error(`serve ended: ${errors}`);
  const { mcp } = JSON.parse(printed.split('\n', 1)[0] as string) as { mcp: string };
  return { child, port: Number(new URL(mcp).port) };
}

const yes = { action: 'accept', content: { approve: true } };

/** A client of 2025 that keeps showing a question that was withdrawn. */
class LateClient {
  readonly received: Message[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  errors = '';

  constructor(args: readonly string[]) {
    this.#child = start(['mcp', ...args]);
    this.#child.stderr.on('data', (chunk) => {
      this.errors += chunk;
    });
    readLines(this.#child.stdout, { line: (line) => this.received.push(JSON.parse(line)), end: () => {} });
  }

  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async find(fits: (message: Message) => boolean): Promise<Message> {
    await until(() => this.received.some(fits), 20_000).catch(() => {
      throw new Error(`no such message among ${JSON.stringify(this.received)}: ${this.errors}`);
    });
    return this.received.find(fits) as Message;
  }

  answer(id: unknown): Promise<Message> {
    return this.find((it) => it.id === id && it.method === undefined);
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'late', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo };
    this.send({ id: 0, method: 'initialize', params });
    await this.answer(0);
    this.send({ method: 'notifications/initialized' });
  }

  /** Makes a call that is held. Returns the id of the question about it. */
  async heldCall(id: number, words: string): Promise<unknown> {
    this.send({ id, method: 'tools/call', params: { name: 'note', arguments: { text: words } } });
    const isQuestion = ({ method, params }: Message) =>
      method === 'elicitation/create' && (params as { message: string }).message.includes(words);
    return (await this.find(isQuestion)).id;
  }

  isWithdrawn(question: unknown): boolean {
    return this.received.some(
      ({ method, params }) =>
        method === 'notifications/cancelled' && (params as { requestId: unknown }).requestId === question,
    );
  }

  /** Answers the first question while the second one is open, then the second one. */
  async answersLate(first: unknown, second: unknown, call: number): Promise<void> {
    this.send({ id: first, result: yes });
    // The answer to a ping comes after everything that the late answer caused, except a call that it started.
    this.send({ id: 'ping', method: 'ping' });
    await this.answer('ping');
    const { stdout } = await toolwharf(['approvals', 'list', '--json', ...state]);
    expect(stdout).toContain('second');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(this.received.some((it) => it.id === call && it.method === undefined)).toBe(false);
    // Control: the answer to its own question lets the call run.
    this.send({ id: second, result: yes });
    expect(JSON.stringify(await this.answer(call))).toContain('noted');
  }
}

test('behind the bridge, after a restart of the host', async () => {
  const made = await toolwharf(['token', 'create', 'late', '--may-approve', '--json', ...state]);
  const tokenFile = join(folder.path, 'token');
  writeFileSync(tokenFile, `${JSON.parse(made.stdout).token}\n`, { mode: 0o600 });
  const host = await serve(0);
  const client = new LateClient([
    '--connect',
    `http://127.0.0.1:${host.port}/mcp`,
    '--token-file',
    tokenFile,
  ]);
  await client.initialize();
  const first = await client.heldCall(1, 'first');
  await end(host.child, 'SIGKILL');
  await client.answer(1);
  await serve(host.port);
  const second = await client.heldCall(2, 'second');
  expect(client.isWithdrawn(first)).toBe(true);
  await client.answersLate(first, second, 2);
}, 60_000);

test('behind the shim, after a takeover', async () => {
  await toolwharf(['review', tools, '--yes', ...state]);
  const made = await toolwharf(
    ['connect', 'cursor', tools, '--name', 'late', '--may-approve', '--yes', '--json', ...state],
    { env: { HOME: folder.path } },
  );
  const { args } = JSON.parse(made.stdout).entry as { args: string[] };
  const keyFile = args[args.indexOf('--client-key-file') + 1] as string;
  const client = new LateClient([tools, '--client-key-file', keyFile, ...state]);
  await client.initialize();
  const first = await client.heldCall(1, 'first');
  // A host hands over only when it runs no call. The client's dialog stays open.
  client.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await until(() => client.isWithdrawn(first));
  const background = readFileSync(join(state[1] as string, 'lock.pid'), 'utf8');
  const host = await serve(0);
  expect(background).not.toBe(String(host.child.pid));
  const second = await client.heldCall(2, 'second');
  await client.answersLate(first, second, 2);
}, 60_000);

test('behind the bridge, if a server counts its questions in every session', async () => {
  let session = 1;
  /** Results that the server got for its question, with the session. */
  const answered: string[] = [];
  const reply = (response: ServerResponse, message: object, more = {}) => {
    response.writeHead(200, { 'content-type': 'application/json', ...more });
    response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params, result } = JSON.parse(await text(request));
    const serverInfo = { name: 'counts', version: '1' };
    if (method === 'initialize')
      return reply(
        response,
        { id, result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo } },
        { 'mcp-session-id': `session-${session}` },
      );
    if (request.headers['mcp-session-id'] !== `session-${session}`) return response.writeHead(404).end();
    if (result !== undefined) answered.push(`${id} of ${session}: ${result.action}`);
    if (method === 'ping') return reply(response, { id, result: {} });
    if (method !== 'tools/call') return response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const question = { message: params.arguments.text, requestedSchema: {} };
    const asked = { jsonrpc: '2.0', id: 'question-1', method: 'elicitation/create', params: question };
    return response.write(`data: ${JSON.stringify(asked)}\n\n`);
  };
  const server = await loopbackServer((request, response) => void handle(request, response));
  try {
    const tokenFile = join(folder.path, 'token');
    writeFileSync(tokenFile, 'any\n', { mode: 0o600 });
    const client = new LateClient([
      '--connect',
      `http://127.0.0.1:${server.port}/mcp`,
      '--token-file',
      tokenFile,
    ]);
    await client.initialize();
    const first = await client.heldCall(1, 'first');
    session = 2;
    // The bridge learns with this answer that the session is lost.
    client.send({ id: first, result: yes });
    client.send({ id: 'ping', method: 'ping' });
    await client.answer('ping');
    await until(() => client.isWithdrawn(first));
    expect(client.errors).toContain('answers a question that is no longer open');
    client.send({ id: first, result: yes });
    client.send({ id: 'again', method: 'ping' });
    await client.answer('again');
    expect(answered).toEqual([]);
    // Control: a question of the new session is answered.
    const second = await client.heldCall(2, 'second');
    client.send({ id: second, result: { action: 'decline' } });
    await until(() => answered.length > 0);
    expect(answered).toEqual(['question-1 of 2: decline']);
  } finally {
    await server.close();
  }
}, 60_000);
