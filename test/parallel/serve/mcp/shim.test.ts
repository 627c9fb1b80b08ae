// `toolwharf mcp`, started like a client starts it, with the official client of both eras.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Era } from '../../../support/mcp-wire.js';
import { allProcesses, sandboxed } from '../../../support/processes.js';
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
import { talos } from '../../../support/workbench.js';

const examples = join(import.meta.dirname, '../../../../examples');
let server: LoopbackServer;
let folder: ReturnType<typeof temporaryFolder>;
let state: string[];

beforeAll(async () => {
  server = await loopbackServer((_request, response) => response.end('{"status":"shipped"}'));
  const counter = talos({
    id: 'counter',
    code: 'let calls = 0;\nexport const handlers = { next() { return ++calls; } };\n',
    functions: ['next'],
  });
  folder = temporaryFolder({
    ...Object.fromEntries(Object.entries(counter).map(([path, text]) => [`tools/${path}`, text])),
    'tools/orders/findagent.json': findagentTool(server.port),
    'tools/note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }),
    'tools/slow.py': patchTool({ name: 'slow', body: '    import time\n    time.sleep(600)\n    return {}' }),
  });
  state = ['--state', join(folder.path, 'state')];
  // What a client starts accepts nothing, so a person does it first.
  for (const path of [examples, join(folder.path, 'tools')])
    await toolwharf(['review', path, '--yes', ...state]);
  await toolwharf(['approvals', 'allow', 'counter', '--dir', join(folder.path, 'tools'), ...state]);
});

afterAll(async () => {
  await server.close();
  folder.remove();
});

async function connect(era: Era, args: string[], options: ClientOptions = {}): Promise<Client> {
  const env = { ...(process.env as Record<string, string>), TOOLWHARF_IDLE: '1s' };
  const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'shim', version: '1.0.0' }, { ...options, versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [main, 'mcp', ...args, ...state], env }),
  );
  return client;
}

/** Connects a client of the given name, and returns the file with its key. */
async function keyOf(name: string, more: readonly string[] = []): Promise<string> {
  const home = { HOME: folder.path };
  const made = await toolwharf(
    ['connect', 'cursor', join(folder.path, 'tools'), '--name', name, '--yes', '--json', ...more, ...state],
    { env: home },
  );
  const { args } = JSON.parse(made.stdout).entry as { args: string[] };
  return args[args.indexOf('--client-key-file') + 1] as string;
}

/** Process id of the host that the command started for this state directory; 0 if it does not run. */
function hostProcess(): number {
  const found = allProcesses().find(({ pid }) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return args.includes('host') && args.includes(state[1] as string);
    } catch {
      // The process has ended.
      return false;
    }
  });
  return found?.pid ?? 0;
}

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe.each<Era>(['2025', '2026'])('a client of %s', (era) => {
  test('calls one tool of each kind', async () => {
    const allow = ['--allow', `net:127.0.0.1:${server.port}`];
    const client = await connect(era, [examples, join(folder.path, 'tools'), '--expose', 'all', ...allow]);
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError, textOf(result)).toBeUndefined();
      return textOf(result);
    };
    // A script, a function, a command, an HTTP request and a prompt.
    expect(JSON.parse(await call('word_count', { text: 'one two' })).words).toBe(2);
    expect(await call('statistics-desk_summary', { values: [1, 2, 3] })).toContain('2');
    expect(await call('json-diff_diff', { before: { a: 1 }, after: { a: 2 } })).toContain('/a');
    expect(await call('order-desk_find_order', { number: '7' })).toBe('{"status":"shipped"}');
    expect(await call('minutes-keeper_minutes_prompt', { notes: 'We like tea.' })).toContain('We like tea.');
    const { prompts } = await client.listPrompts();
    expect(prompts.map((it) => it.name)).toContain('statistics-desk');
    const { resources } = await client.listResources();
    expect(resources.map((it) => it.uri)).toContain('skill://review-skills/start-here');
    await client.close();
  });

  test('that may approve asks its user about a held call, and the call runs', async () => {
    const keyFile = await keyOf(`desk-${era}`, ['--may-approve']);
    const client = await connect(era, [join(folder.path, 'tools'), '--client-key-file', keyFile], {
      capabilities: { elicitation: {} },
    });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      expect(params.message).toContain('"text": "hello"');
      return { action: 'accept', content: { approve: true } };
    });
    const result = await client.callTool({ name: 'note', arguments: { text: 'hello' } });
    expect(JSON.parse(textOf(result))).toEqual({ noted: 'hello' });
    await client.close();
  });

  test('shares no process with another client of the same user', async () => {
    const tools = join(folder.path, 'tools');
    const keyed = ['--client-key-file', await keyOf(`own-${era}`)];
    const clients = [
      await connect(era, [tools]),
      await connect(era, [tools]),
      await connect(era, [tools, ...keyed]),
    ];
    const count = async (client: Client | undefined) =>
      JSON.parse(textOf(await client?.callTool({ name: 'counter_next', arguments: {} })));
    for (const client of clients) expect(await count(client)).toBe(1);
    // Control: the process is kept for the client itself.
    expect(await count(clients[0])).toBe(2);
    for (const client of clients) await client.close();
  });

  test('finds tools with a search', async () => {
    const client = await connect(era, [examples, '--expose', 'search']);
    expect((await client.listTools()).tools).toHaveLength(5);
    const found = await client.callTool({
      name: 'find_tools',
      arguments: { query: 'count words of a text', limit: 3 },
    });
    expect(JSON.parse(textOf(found)).tools[0].name).toBe('word_count');
    await client.close();
  });
});

test('a client that is killed during a call leaves no process', async () => {
  const args = [main, 'mcp', join(folder.path, 'tools'), ...state];
  const shim: ChildProcess = spawn(process.execPath, args, {
    env: { ...process.env, TOOLWHARF_IDLE: '1s' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const params = { name: 'slow', arguments: { text: 'a' } };
  shim.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  const below = () => sandboxed(hostProcess()).filter((it) => it.name.startsWith('python3'));
  await until(() => below().length > 0, 20_000);
  shim.kill('SIGKILL');
  await until(() => below().length === 0, 20_000);
});

test('an unknown --expose value is rejected with the valid values', async () => {
  const done = await toolwharf(['mcp', folder.path, '--expose', 'some', ...state]);
  expect(done.code).toBe(2);
  expect(done.stderr).toContain('all, search or auto');
});
