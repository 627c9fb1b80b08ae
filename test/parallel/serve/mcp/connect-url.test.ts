// `toolwharf mcp --connect URL`: the official client of both eras over stdio, a real `toolwharf serve` behind HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleServerScript } from '../../../support/mcp-upstream.js';
import type { Era } from '../../../support/mcp-wire.js';
import { serverPackage } from '../../../support/server-package.js';
import { main, patchTool, temporaryFolder, toolwharf, until } from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let state: string[];
let tools: string;
let tokenFile: string;
let token: string;
let port: number;
let host: ChildProcess | undefined;
/** What the hosts printed. */
let printed = '';

beforeAll(async () => {
  const desk = serverPackage('desk', '');
  folder = temporaryFolder({
    'tools/note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }),
    'tools/count.py': patchTool({ name: 'count' }),
    'tools/long.py': patchTool({ name: 'long', body: '    return {"text": "ä" * int(text)}' }),
    'tools/sleep.py': patchTool({
      name: 'sleep',
      body: '    import time\n    time.sleep(float(text))\n    return {"slept": text}',
    }),
    'tools/desk/toolspace.json': (desk['desk/toolspace.json'] as string)
      .replace('"server.mjs"', '"server.mjs","both"')
      .replace('"go"', '"say"')
      .replace('"arguments":{}', '"arguments":{"text":"x"}'),
    'tools/desk/server.mjs': await sampleServerScript(),
  });
  tools = join(folder.path, 'tools');
  state = ['--state', join(folder.path, 'state')];
  const made = await toolwharf(['token', 'create', 'elsewhere', '--may-approve', '--json', ...state]);
  token = JSON.parse(made.stdout).token;
  tokenFile = join(folder.path, 'token');
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
  port = await freePort();
  await startHost();
});

afterAll(async () => {
  await stopHost();
  folder.remove();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startHost(): Promise<void> {
  const args = [main, 'serve', tools, '--json', '--port', String(port), '--expose', 'all', ...state];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  host = child;
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      resolve();
    });
    child.once('close', () => reject(new Error(`serve ended: ${errors}`)));
  });
}

async function stopHost(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (host === undefined || host.exitCode !== null) return;
  const over = new Promise((resolve) => host?.once('close', resolve));
  host.kill(signal);
  await over;
}

const url = (path = '/mcp') => `http://127.0.0.1:${port}${path}`;
const bridgeArgs = (path?: string) => ['mcp', '--connect', url(path), '--token-file', tokenFile];
const modeOf = (era: Era) => (era === '2025' ? ('legacy' as const) : { pin: '2026-07-28' });

async function through(
  era: Era,
  options: ClientOptions = {},
  args = bridgeArgs(),
  seen: { method?: string; params?: unknown }[] = [],
): Promise<Client> {
  const client = new Client(
    { name: 'elsewhere', version: '1.0.0' },
    { ...options, versionNegotiation: { mode: modeOf(era) } },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, ...args],
    stderr: 'pipe',
  });
  await client.connect(transport);
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    seen.push(message as { method?: string });
    onmessage?.(message);
  };
  return client;
}

async function directly(era: Era): Promise<Client> {
  const client = new Client(
    { name: 'elsewhere', version: '1.0.0' },
    { versionNegotiation: { mode: modeOf(era) } },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url()), { requestInit: { headers } }));
  return client;
}

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe.each<Era>(['2025', '2026'])('a client of %s', (era) => {
  test('sees the same lists and answers as directly over HTTP', async () => {
    const [bridged, direct] = [await through(era, {}, bridgeArgs('')), await directly(era)];
    const seen = async (client: Client) => ({
      tools: await client.listTools(),
      prompts: await client.listPrompts(),
      resources: await client.listResources(),
      server: client.getServerVersion(),
      instructions: client.getInstructions(),
      capabilities: client.getServerCapabilities(),
      sum: await client.callTool({ name: 'desk_add', arguments: { a: 2, b: 3 } }),
      wrong: await client.callTool({ name: 'count', arguments: {} }),
      missing: await client.callTool({ name: 'missing', arguments: {} }).catch((it) => String(it)),
    });
    const withoutIds = (value: unknown) => JSON.stringify(value).replace(/"toolwharf\/call":"[^"]*"/g, '');
    expect(withoutIds(await seen(bridged))).toBe(withoutIds(await seen(direct)));
    expect((await bridged.listTools()).tools.map((it) => it.name)).toContain('desk_steps');
    await Promise.all([bridged.close(), direct.close()]);
  });

  test('gets progress, large answers with exact bytes, and several answers at once', async () => {
    // The client drops progress that it reads together with the answer, so the messages count.
    const seen: { method?: string; params?: unknown }[] = [];
    const client = await through(era, {}, bridgeArgs(), seen);
    await client.callTool({ name: 'desk_steps', arguments: {} }, { onprogress: () => {} });
    expect(seen.map((it) => it.params)).toMatchObject([
      ...[1, 2, 3].map((it) => ({ progress: it, total: 3, message: `step ${it}` })),
      undefined,
    ]);
    const large = await client.callTool({ name: 'count', arguments: { text: 'word '.repeat(200_000) } });
    expect(JSON.parse(textOf(large))).toEqual({ words: 200_000 });
    const slow = client.callTool({ name: 'sleep', arguments: { text: '1' } });
    const quick = await Promise.all(
      Array.from({ length: 8 }, (_, at) => client.callTool({ name: 'desk_add', arguments: { a: at, b: 1 } })),
    );
    expect(quick.map((it) => JSON.parse(textOf(it)).sum)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(JSON.parse(textOf(await slow))).toEqual({ slept: '1' });
    await client.close();
  });

  test('asks its user about a held call and for a server, and the calls run', async () => {
    const client = await through(era, { capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', async ({ params }) =>
      params.message.includes('Which color?')
        ? { action: 'accept', content: { color: 'blue' } }
        : { action: 'accept', content: { approve: true } },
    );
    const held = await client.callTool({ name: 'note', arguments: { text: 'hello' } });
    expect(JSON.parse(textOf(held))).toEqual({ noted: 'hello' });
    const asked = await client.callTool({ name: 'desk_consult', arguments: {} });
    expect(textOf(asked)).toBe('accept blue');
    await client.close();
  });

  test('cancels a call, which ends on the host', async () => {
    const client = await through(era);
    const before = canceledCalls();
    const cancel = new AbortController();
    const call = { name: 'sleep', arguments: { text: '99' } };
    const options = { signal: cancel.signal, onprogress: () => cancel.abort() };
    await expect(client.callTool(call, options)).rejects.toThrow();
    await until(() => canceledCalls() === before + 1);
    // Control: the connection is still good.
    expect((await client.callTool({ name: 'desk_add', arguments: { a: 1, b: 1 } })).isError).toBeUndefined();
    await client.close();
  });

  test('that disconnects during a call ends the call on the host', async () => {
    const client = await through(era);
    const before = canceledCalls();
    await new Promise<void>((onprogress) => {
      client
        .callTool({ name: 'sleep', arguments: { text: '77' } }, { onprogress: () => onprogress() })
        .catch(() => {});
    });
    await client.close();
    await until(() => canceledCalls() === before + 1);
  });
});

/** How many canceled calls the host reported. */
const canceledCalls = () => printed.split('\n').filter((it) => /"sleep\b.*"canceled"/.test(it)).length;

test.each<Era>(['2025', '2026'])('a client of %s survives a restart of the host', async (era) => {
  const changed: string[] = [];
  const client = await through(era, {
    listChanged: { tools: { autoRefresh: false, onChanged: () => changed.push('tools') } },
  } as ClientOptions);
  let began = false;
  const onprogress = () => {
    began = true;
  };
  const hanging = client.callTool({ name: 'sleep', arguments: { text: '300' } }, { onprogress });
  const failed = expect(hanging).rejects.toThrow(
    /the connection to .* ended before the answer; the call may have run/,
  );
  await until(() => began);
  await stopHost('SIGKILL');
  await failed;
  // The host is down when this call is sent.
  const waiting = client.callTool({ name: 'desk_add', arguments: { a: 20, b: 3 } });
  await new Promise((resolve) => setTimeout(resolve, 400));
  await startHost();
  expect(JSON.parse(textOf(await waiting))).toEqual({ sum: 23 });
  await until(() => changed.length > 0);
  expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  await client.close();
});

describe('the command says what is wrong', () => {
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  });
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    toolwharf(['mcp', ...args], { stdin: `${initialize}\n`, open: false, env });
  /** Standard input stays open, as with a client that waits for the answer. */
  const start = (args: readonly string[]) =>
    toolwharf(['mcp', ...args], {
      open: true,
      during: (child) => child.stdin?.write(`${initialize}\n`),
    });

  test('if the token is wrong', async () => {
    const wrong = join(folder.path, 'wrong');
    writeFileSync(wrong, 'tw_wrong\n', { mode: 0o600 });
    const done = await start(['--connect', url(), '--token-file', wrong]);
    expect(done.code).toBe(4);
    expect(done.stderr).toMatch(/does not accept the token[\s\S]*toolwharf token create NAME/);
    expect(JSON.parse(done.stdout)).toMatchObject({
      id: 1,
      error: { data: { 'toolwharf/code': 'auth_required' } },
    });
  });

  test('if no host answers', async () => {
    const done = await start([
      '--connect',
      `http://127.0.0.1:${await freePort()}`,
      '--token-file',
      tokenFile,
    ]);
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(/no host answers at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
    expect(JSON.parse(done.stdout)).toMatchObject({
      id: 1,
      error: { data: { 'toolwharf/code': 'host_unreachable' } },
    });
  });

  test('if there is something other than MCP at the URL', async () => {
    const done = await start(['--connect', url('/other'), '--token-file', tokenFile]);
    expect(done.code).not.toBe(0);
    expect(done.stderr).toContain('/other is not an MCP endpoint (status 404)');
  });

  test('if the token would be sent unencrypted to another machine', async () => {
    const done = await run(['--connect', 'http://192.0.2.1:8377', '--token-file', tokenFile]);
    expect(done.code).toBe(2);
    expect(done.stderr).toContain('would send the token unencrypted');
    expect(done.stderr).toContain('--plain-http');
  });

  test('if others can read the file with the token', async () => {
    const open = join(folder.path, 'open');
    writeFileSync(open, `${token}\n`);
    chmodSync(open, 0o644);
    const done = await run(['--connect', url(), '--token-file', open]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain('can be read by others');
  });

  test('if there is no token, and takes one from the environment', async () => {
    const none = await run(['--connect', url()], { TOOLWHARF_TOKEN: '' });
    expect(none.code).toBe(4);
    expect(none.stderr).toContain('TOOLWHARF_TOKEN');
    let answer = '';
    const done = await toolwharf(['mcp', '--connect', url()], {
      open: true,
      env: { TOOLWHARF_TOKEN: token },
      during(child) {
        child.stdin?.write(`${initialize}\n`);
        child.stdout?.on('data', (chunk) => {
          answer += chunk;
          if (answer.includes('\n')) child.stdin?.end();
        });
      },
    });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } });
  });

  test('if options of the host are given', async () => {
    const done = await run(['--connect', url(), '--token-file', tokenFile, '--expose', 'all']);
    expect(done.code).toBe(2);
    expect(done.stderr).toContain('--connect and --expose exclude each other');
    expect((await run(['--token-file', tokenFile])).stderr).toContain('only with --connect');
  });
});
