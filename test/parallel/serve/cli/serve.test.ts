// The commands `serve` and `token`, with a real host and real ports.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../../../src/index.js';
import { HostError } from '../../../../src/model/host-error.js';
import { parseArguments } from '../../../../src/serve/cli/command/arguments.js';
import type { Command } from '../../../../src/serve/cli/command/command.js';
import { serve } from '../../../../src/serve/cli/commands/serve.js';
import { token } from '../../../../src/serve/cli/commands/token.js';
import { request } from '../../../support/http-bench.js';
import { testTerminal } from '../../../support/terminal.js';
import { patchTool, temporaryFolder, toolwharf, until } from '../../../support/toolwharf.js';

const folders: ReturnType<typeof temporaryFolder>[] = [];
afterEach(() => {
  for (const it of folders.splice(0)) it.remove();
});

function folder() {
  const made = temporaryFolder({ 'tools/word_count.py': patchTool({ name: 'word_count' }) });
  folders.push(made);
  return { path: made.path, state: join(made.path, 'state'), tools: join(made.path, 'tools') };
}

/** Runs a command with a host of the state directory, like the program does. */
function run(command: Command, args: readonly string[], cwd: string, wait = false) {
  const stop = new AbortController();
  if (!wait) stop.abort();
  const terminal = {
    ...testTerminal({ cwd }),
    signal: stop.signal,
    openHost: async ({ state }: { state: string }) => createHost({ state, warm: false }),
    startHost: async ({
      state,
      onAnswer,
    }: {
      state: string;
      onAnswer?: Parameters<typeof createHost>[0]['onAnswer'];
    }): Promise<Host> => createHost({ state, warm: false, ...(onAnswer === undefined ? {} : { onAnswer }) }),
  };
  const done = (async () => command.run(parseArguments(command, args), terminal))();
  return { terminal, stop, done, printed: terminal.printed };
}

async function started(args: readonly string[], cwd: string) {
  const running = run(serve, args, cwd, true);
  running.done.catch(() => {});
  await until(() => running.printed.out.includes('\n'));
  return running;
}

describe('serve', () => {
  test('with --json the first line has URLs and tokens, and each call is one line', async () => {
    const { path, state, tools } = folder();
    const running = await started([tools, '--json', '--port', '0', '--state', state], path);
    const first = JSON.parse(running.printed.out.split('\n', 1)[0] as string);
    expect(first).toMatchObject({
      schema: 'toolwharf/serve@1',
      mcp: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      api: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
      token: expect.stringMatching(/^tw_[\w-]{43}$/),
      agentToken: expect.stringMatching(/^tw_[\w-]{43}$/),
      socket: join(state, 'host.sock'),
      command: expect.arrayContaining(['mcp', tools]),
      packages: [expect.objectContaining({ id: 'word_count', state: 'ready' })],
    });
    const port = Number(new URL(first.mcp).port);
    const body = { tool: 'word_count', arguments: { text: 'a b' } };
    const called = await request(port, '/api/v1/call', { token: first.agentToken, body });
    expect(called.json.result).toEqual({ words: 2 });
    expect((await request(port, '/api/v1/approvals', { token: first.agentToken })).status).toBe(403);
    expect((await request(port, '/api/v1/approvals', { token: first.token })).status).toBe(200);
    const metrics = await request(port, '/metrics', { token: first.token });
    expect(metrics.text).toContain('toolwharf_calls_total{status="ok"} 1');
    running.stop.abort();
    expect(await running.done).toBe(0);
    expect(JSON.parse(running.printed.out.trimEnd().split('\n')[1] as string)).toMatchObject({
      event: 'call',
      tool: 'word_count/word_count',
      status: 'ok',
      principal: 'http/start-agent',
    });
    await expect(request(port, '/health')).rejects.toThrow();
  });

  test('the output for people shows packages, URLs and a token that cannot approve', async () => {
    const { path, state, tools } = folder();
    const running = await started([tools, '--port', '0', '--state', state], path);
    await until(() => running.printed.out.includes('Ctrl-C'));
    const { out } = running.printed;
    expect(out).toMatch(/word_count .*ready|ready .*word_count/);
    const url = /^MCP {6}(http:\/\/127\.0\.0\.1:\d+\/mcp)$/m.exec(out)?.[1] as string;
    expect(out).toMatch(/^API {6}http.*\/api\/v1 /m);
    const connect =
      /claude mcp add --transport http toolwharf (\S+) --header "Authorization: Bearer (\S+)"/.exec(out);
    expect(connect?.[1]).toBe(url);
    const port = Number(new URL(url).port);
    const agent = connect?.[2] as string;
    expect((await request(port, '/api/v1/tools', { token: agent })).status).toBe(200);
    expect((await request(port, '/api/v1/approvals', { token: agent })).status).toBe(403);
    const operator = /^Token +(\S+)$/m.exec(out)?.[1] as string;
    expect((await request(port, '/api/v1/approvals', { token: operator })).status).toBe(200);
    expect(out).toContain('"mcpServers"');
    running.stop.abort();
    expect(await running.done).toBe(0);
  });

  test('the printed entry for a client works from any folder: every path is absolute', async () => {
    const { path, state, tools } = folder();
    const running = await started(['tools', '--json', '--no-http', '--state', 'state'], path);
    const { command } = JSON.parse(running.printed.out.split('\n', 1)[0] as string) as { command: string[] };
    expect(command[0]).toBe(process.execPath);
    expect(command.slice(2)).toEqual(['mcp', tools, '--state', state]);
    expect(command[1]).toMatch(/^\//);
    expect(running.printed.out).not.toContain('npx');
    running.stop.abort();
    await running.done;
  });

  test('commands are named as the person can start them, and the name of a server stays', async () => {
    const { path, state, tools } = folder();
    let shown = '';
    const { stdout } = await toolwharf(['serve', tools, '--port', '0', '--state', state], {
      cwd: path,
      env: { TOOLWHARF_COMMAND: 'npx toolwharf' },
      during: (child) =>
        child.stdout?.on('data', (it) => {
          shown += it;
          if (shown.includes('"mcpServers"')) child.kill('SIGINT');
        }),
    });
    expect(stdout).toContain('"npx toolwharf open" makes another');
    expect(stdout).toContain('(npx toolwharf token create NAME');
    expect(stdout).toContain('claude mcp add --transport http toolwharf http://');
  });

  test('each start makes new tokens', async () => {
    const { path, state, tools } = folder();
    const seen: string[] = [];
    for (let round = 0; round < 2; round++) {
      const running = await started([tools, '--json', '--port', '0', '--state', state], path);
      const first = JSON.parse(running.printed.out.split('\n', 1)[0] as string);
      seen.push(first.token, first.agentToken);
      for (const it of seen)
        expect((await request(Number(new URL(first.api).port), '/api/v1/tools', { token: it })).status).toBe(
          it === first.token || it === first.agentToken ? 200 : 401,
        );
      running.stop.abort();
      await running.done;
    }
    expect(new Set(seen).size).toBe(4);
  });

  test('--no-http opens no port', async () => {
    const { path, state, tools } = folder();
    const running = await started([tools, '--json', '--no-http', '--state', state], path);
    const first = JSON.parse(running.printed.out.split('\n', 1)[0] as string);
    expect(Object.keys(first)).toEqual(['schema', 'socket', 'command', 'packages']);
    running.stop.abort();
    expect(await running.done).toBe(0);
  });

  test('a port in use is rejected with the process that uses it', async () => {
    const { path, state, tools } = folder();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { done } = run(serve, [tools, '--json', '--port', String(port), '--state', state], path);
    await expect(done).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        new RegExp(`^port ${port} of 127.0.0.1 is in use by process ${process.pid} \\(`),
      ),
      hint: expect.stringContaining('--port'),
    });
    other.close();
    // The state directory is free again.
    await (await createHost({ state })).close();
  });

  test.each([
    [['--port', 'x'], /--port "x" is not a port/],
    [['--port', '70000'], /is not a port/],
    [['--listen', 'example.com'], /is not an IP address/],
    [['--name', 'http://a'], /is not a host name/],
    [['--expose', 'some'], /unknown value for --expose/],
    [['--no-http', '--port', '1'], /not both/],
  ])('the arguments %j are rejected', async (args, message) => {
    const { path, state, tools } = folder();
    await expect(run(serve, [tools, ...args, '--state', state], path).done).rejects.toThrow(message);
  });

  test('a public address needs a valid stored token', async () => {
    const { path, state, tools } = folder();
    // Rejected before anything is opened. The control listens on loopback with the same arguments.
    const args = (address: string) => [tools, '--json', '--port', '0', '--listen', address, '--state', state];
    for (const address of ['0.0.0.0', '::', '192.0.2.1']) {
      const failed = await run(serve, args(address), path).done.catch((error) => error);
      expect(failed).toBeInstanceOf(HostError);
      expect(failed).toMatchObject({ code: 'auth_required', hint: expect.stringContaining('token create') });
    }
    expect(await run(serve, args('127.0.0.1'), path).done).toBe(0);
    // The key of a stdio client is valid only on the socket.
    const host = await createHost({ state });
    const key = { kind: 'stdio', user: 'a', name: 'desk', role: 'agent', expiresAt: null, by: 'a' } as const;
    await host.tokens.create(key);
    await host.close();
    await expect(run(serve, args('192.0.2.1'), path).done).rejects.toMatchObject({ code: 'auth_required' });
    // With a token, the next problem is that this machine does not have this address.
    await run(token, ['create', 'one', '--state', state], path).done;
    const later = run(serve, args('192.0.2.1'), path);
    await expect(later.done).rejects.toThrow(/cannot listen on port 0 of 192\.0\.2\.1: EADDRNOTAVAIL/);
    expect(later.printed.err).toContain('warning: other machines can reach 192.0.2.1');
  });
});

describe('token', () => {
  test('a token is created, works by its role, is listed without its value, and is revoked', async () => {
    const { path, state, tools } = folder();
    const flags = ['--state', state];
    const agent = run(token, ['create', 'laptop', ...flags], path);
    expect(await agent.done).toBe(0);
    const secret = agent.printed.out.trim();
    expect(secret).toMatch(/^tw_[\w-]{43}$/);
    expect(agent.printed.err).toContain('it is not shown again');
    const admin = run(
      token,
      ['create', 'admin', '--role', 'operator', '--expires', '30d', '--json', ...flags],
      path,
    );
    await admin.done;
    const made = JSON.parse(admin.printed.out);
    expect(made).toMatchObject({ schema: 'toolwharf/token@1', name: 'admin', role: 'operator' });
    expect(Date.parse(made.expiresAt) - Date.now()).toBeGreaterThan(29 * 86_400_000);

    const listed = run(token, ['list', '--json', ...flags], path);
    await listed.done;
    const { tokens } = JSON.parse(listed.printed.out);
    expect(tokens.map((it: { name: string; role: string }) => [it.name, it.role])).toEqual([
      ['laptop', 'agent'],
      ['admin', 'operator'],
    ]);
    const shown = run(token, ['list', ...flags], path);
    await shown.done;
    for (const it of [listed, shown])
      for (const value of [secret, made.token]) expect(it.printed.out).not.toContain(value);

    const running = await started([tools, '--json', '--port', '0', ...flags], path);
    const port = Number(new URL(JSON.parse(running.printed.out.split('\n', 1)[0] as string).api).port);
    expect((await request(port, '/api/v1/tools', { token: secret })).status).toBe(200);
    expect((await request(port, '/api/v1/approvals', { token: secret })).status).toBe(403);
    expect((await request(port, '/api/v1/approvals', { token: made.token })).status).toBe(200);
    running.stop.abort();
    await running.done;

    expect(await run(token, ['revoke', 'laptop', ...flags], path).done).toBe(0);
    await expect(run(token, ['revoke', 'laptop', ...flags], path).done).rejects.toMatchObject({
      code: 'not_found',
    });
    const after = run(token, ['list', '--json', ...flags], path);
    await after.done;
    expect(JSON.parse(after.printed.out).tokens.map((it: { name: string }) => it.name)).toEqual(['admin']);
  });

  test.each([
    [['create']],
    [['create', 'a', 'b']],
    [['create', 'a/b']],
    [['create', 'start-agent']],
    [['create', 'a', '--role', 'root']],
    [['create', 'a', '--expires', '30']],
    [['create', 'a', '--expires', '0d']],
    [['list', '--role', 'agent']],
    [['list', 'a']],
    [['revoke']],
    [['what']],
  ])('the arguments %j are rejected', async (args) => {
    const { path, state } = folder();
    await expect(run(token, [...args, '--state', state], path).done).rejects.toMatchObject({
      code: 'usage',
    });
  });

  test('a token shows how long it is valid; an expired one is renewed by its name and keeps its principal', async () => {
    const { path, state } = folder();
    const flags = ['--state', state];
    for (const args of [['usual'], ['lasting', '--expires', 'never'], ['short', '--expires', '5h']])
      await run(token, ['create', ...args, ...flags], path).done;
    const host = await createHost({ state });
    const minute = 60_000;
    await host.tokens.create({ name: 'old', role: 'agent', expiresAt: Date.now() - 150 * minute, by: 'a' });
    await host.close();
    const listed = run(token, ['list', ...flags], path);
    await listed.done;
    expect(listed.printed.out).toMatch(/^usual .*, expires in 90 days, at \d{4}-/m);
    expect(listed.printed.out).toMatch(/^lasting .*, valid until revoked$/m);
    expect(listed.printed.out).toMatch(/^short .*, expires in 5 hours, at /m);
    expect(listed.printed.out).toMatch(/^old .*, expired 3 hours ago, at /m);

    await expect(run(token, ['create', 'usual', ...flags], path).done).rejects.toMatchObject({
      code: 'usage',
    });
    const renewed = run(token, ['create', 'old', '--json', ...flags], path);
    await renewed.done;
    expect(JSON.parse(renewed.printed.out)).toMatchObject({ name: 'old', principal: 'http/old' });
    const after = run(token, ['list', '--json', ...flags], path);
    await after.done;
    expect(JSON.parse(after.printed.out).tokens).toHaveLength(4);
  });

  test('the list shows in which clients a person may approve, and which keys clients have', async () => {
    const { path, state } = folder();
    const flags = ['--state', state];
    for (const args of [['desk', '--may-approve'], ['plain']])
      await run(token, ['create', ...args, ...flags], path).done;
    const host = await createHost({ state });
    const { entry } = await host.tokens.create({
      ...{ kind: 'stdio', user: 'alice', name: 'desk', role: 'agent', expiresAt: null, by: 'alice' },
    } as const);
    await host.close();
    const listed = run(token, ['list', ...flags], path);
    await listed.done;
    const [desk, plain, key] = listed.printed.out.split('\n');
    expect(desk).toContain('as http/desk, a person may approve held calls in its client');
    expect(plain).not.toContain('approve');
    expect(key).toContain('key of a connected client, may list and call tools as alice/mcp/desk,');
    // Two have the same name, so only the id says which one.
    await expect(run(token, ['revoke', 'desk', ...flags], path).done).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining(entry.id),
    });
    expect(await run(token, ['revoke', entry.id, ...flags], path).done).toBe(0);
    expect(await run(token, ['revoke', 'desk', ...flags], path).done).toBe(0);
    await expect(run(token, ['list', '--may-approve', ...flags], path).done).rejects.toMatchObject({
      code: 'usage',
    });
  });

  test('a token name can be used only once', async () => {
    const { path, state } = folder();
    await run(token, ['create', 'a', '--state', state], path).done;
    await expect(run(token, ['create', 'a', '--state', state], path).done).rejects.toThrow(/already/);
  });
});
