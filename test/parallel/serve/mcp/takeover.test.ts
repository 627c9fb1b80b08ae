// `toolwharf serve` takes the place of the host that `toolwharf mcp` started in the background. All processes are real.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Era } from '../../../support/mcp-wire.js';
import { allProcesses } from '../../../support/processes.js';
import {
  findagentTool,
  type LoopbackServer,
  loopbackServer,
  main,
  patchTool,
  temporaryFolder,
  toolwharf,
  until,
} from '../../../support/toolwharf.js';

let orders: LoopbackServer;
/** Called for each request to the order server; the tool waits for its answer. */
let onOrder: () => Promise<void> = async () => {};
let folder: ReturnType<typeof temporaryFolder>;
const env = { ...(process.env as Record<string, string>), TOOLWHARF_IDLE: '1s' };

beforeAll(async () => {
  orders = await loopbackServer((_request, response) => {
    void onOrder().then(() => response.end('{"status":"shipped"}'));
  });
  folder = temporaryFolder({
    'tools/words.py': patchTool({ name: 'words' }),
    'tools/orders/findagent.json': findagentTool(orders.port),
  });
});

afterAll(async () => {
  await orders.close();
  folder.remove();
});

const tools = () => join(folder.path, 'tools');

async function newState(name: string): Promise<string> {
  const state = join(folder.path, name);
  const reviewed = await toolwharf(['review', tools(), '--yes', '--state', state]);
  expect(reviewed.code).toBe(0);
  return state;
}

async function connect(era: Era, state: string): Promise<Client> {
  const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'takeover', version: '1.0.0' }, { versionNegotiation: { mode } });
  const args = [main, 'mcp', tools(), '--allow', `net:127.0.0.1:${orders.port}`, '--state', state];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  return client;
}

const words = async (client: Client) =>
  (await client.callTool({ name: 'words', arguments: { text: 'to be' } })).structuredContent;
const findOrder = async (client: Client, number: string) =>
  JSON.stringify((await client.callTool({ name: 'find_order', arguments: { number } })).content);

/** The host that holds the state directory now. */
const holder = (state: string) => Number(readFileSync(join(state, 'lock.pid'), 'utf8'));

const isRunning = (pid: number | undefined) => allProcesses().some((it) => it.pid === pid);

interface Served {
  readonly child: ChildProcess;
  /** What it printed to standard error. */
  errors(): string;
  /** Its first line. Rejects if it ends before. */
  readonly ready: Promise<{ readonly mcp: string }>;
  readonly code: Promise<number | null>;
}

function serve(state: string): Served {
  const args = [main, 'serve', tools(), '--json', '--port', '0', '--state', state];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let errors = '';
  let printed = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = new Promise<{ mcp: string }>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('\n')) resolve(JSON.parse(printed.split('\n', 1)[0] as string));
    });
    void code.then(() => reject(new Error(`serve ended: ${errors}`)));
  });
  ready.catch(() => {});
  return { child, errors: () => errors, ready, code };
}

test('serve takes over from an idle background host, and its clients go on, also when serve ends', async () => {
  const state = await newState('idle');
  const clients = [await connect('2025', state), await connect('2026', state)];
  for (const client of clients) expect(await words(client)).toEqual({ words: 2 });
  const background = holder(state);

  const served = serve(state);
  // Requests that are sent meanwhile are answered, by one host or the other.
  const meanwhile = clients.map((it) => it.listTools());
  await served.ready;
  for (const listed of await Promise.all(meanwhile)) expect(listed.tools.length).toBeGreaterThan(1);
  expect(served.errors()).toContain(`taking over from the background host (process ${background})`);
  expect(holder(state)).toBe(served.child.pid);
  for (const client of clients) expect(await words(client)).toEqual({ words: 2 });
  await until(() => !isRunning(background));

  served.child.kill('SIGINT');
  expect(await served.code).toBe(0);
  for (const client of clients) expect(await words(client)).toEqual({ words: 2 });
  expect(holder(state)).not.toBe(served.child.pid);
  await Promise.all(clients.map((it) => it.close()));

  // Every call ran once.
  const log = await toolwharf(['audit', 'tail', '200', '--json', '--state', state]);
  const outcomes = log.stdout.split('\n').filter((it) => it.includes('"kind":"outcome"'));
  expect(outcomes).toHaveLength(6);
  expect((await toolwharf(['audit', 'verify', '--state', state])).code).toBe(0);
  await until(() => !existsSync(join(state, 'host.sock')));
});

test('a client has still seen the same after another host took over; a new connection is a session of its own', async () => {
  const state = await newState('labels');
  const sessions = async (): Promise<string[]> => {
    const { stdout } = await toolwharf(['session', 'list', '--json', '--state', state]);
    return (JSON.parse(stdout) as { sessions: { id: string }[] }).sessions.map((it) => it.id);
  };
  const client = await connect('2025', state);
  await findOrder(client, '1');
  const [first, ...none] = await sessions();
  expect([typeof first, none]).toEqual(['string', []]);

  const served = serve(state);
  await served.ready;
  await findOrder(client, '2');
  expect(await sessions()).toEqual([first]);
  const other = await connect('2025', state);
  await findOrder(other, '3');
  expect(await sessions()).toHaveLength(2);

  await Promise.all([client.close(), other.close()]);
  served.child.kill('SIGINT');
  expect(await served.code).toBe(0);
});

test('serve waits for a running call and says so; the call is not cut', async () => {
  const state = await newState('busy');
  const client = await connect('2025', state);
  let finish: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    onOrder = () => {
      resolve();
      return new Promise((done) => {
        finish = done;
      });
    };
  });
  const calling = findOrder(client, '1');
  await arrived;
  const served = serve(state);
  await until(() => served.errors().includes('waiting for it'));
  expect(served.errors()).toMatch(
    /background host \(process \d+\) cannot end yet: a call of .*\/mcp is running/,
  );
  finish();
  expect(await calling).toContain('shipped');
  await served.ready;
  onOrder = async () => {};
  expect(await findOrder(client, '2')).toContain('shipped');
  expect(orders.requests.map((it) => it.url).slice(-2)).toEqual(['/orders/1', '/orders/2']);
  await client.close();
  served.child.kill('SIGINT');
  expect(await served.code).toBe(0);
});

test('a host that somebody serves in the foreground is not taken over; the error names its process and address', async () => {
  const state = await newState('foreground');
  const first = serve(state);
  const { mcp } = await first.ready;
  const second = await toolwharf(['serve', tools(), '--port', '0', '--state', state]);
  expect(second.code).toBe(1);
  const address = mcp.slice(0, -'/mcp'.length);
  expect(second.stderr).toContain(
    `process ${first.child.pid} is the host of ${state}: it is "toolwharf serve" at ${address}`,
  );
  expect(second.stderr).toContain(`kill ${first.child.pid}`);
  expect(isRunning(first.child.pid)).toBe(true);
  first.child.kill('SIGINT');
  expect(await first.code).toBe(0);
});
