// SECURITY.md: "A first agreement is a person's".
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../../src/host/host.js';
import { connectHost, createHost, type Host, type HostError, type Session } from '../../../src/index.js';
import { openSocketServer } from '../../../src/serve/socket/server.js';
import { socketPath } from '../../../src/serve/socket/socket-path.js';
import { version } from '../../../src/version.js';
import { agreementRows, type MarkingProject, markingProject } from '../../support/marking-packages.js';
import type { Era } from '../../support/mcp-wire.js';
import { main, type Outcome, toolwharf, until } from '../../support/toolwharf.js';

const pin = ['only', 'the', 'operator', '7'].join('-');
let project: MarkingProject;
beforeEach(async () => {
  project = await markingProject();
});
afterEach(() => project.close());

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: HostError) => error.code,
  );

function run(...args: readonly string[]): Promise<Outcome> {
  const env = { HOME: project.path, XDG_CONFIG_HOME: '', TOOLWHARF_HOME: '' };
  return toolwharf([...args, '--state', project.state], { cwd: project.packages, env });
}

async function withHost<T>(use: (host: Host) => Promise<T>): Promise<T> {
  const host = await createHost({ state: project.state, warm: false, watch: false });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}

describe('once a PIN is set, a first agreement needs it', () => {
  const proofs: readonly (readonly [string, Actor])[] = [
    ['a name', 'somebody'],
    ['a person at a client', { name: 'somebody', channel: 'client' }],
    ['a wrong PIN', { name: 'somebody', channel: 'library', pin: 'not-the-right-one' }],
    ['a sign-in that nobody made', { name: 'somebody', channel: 'api', signIn: 'tws_made-up' }],
  ];

  test.each(proofs)('in the library: %s is not enough, and nothing is stored', async (_, by) => {
    await withHost(async (host) => {
      await host.operator.setPin(pin, 'operator');
      const directories = [project.packages];
      const options = { directories, root: project.workspace };
      expect(await codeOf(host.session({ ...options, accept: { in: directories, by } }))).toBe(
        'pin_required',
      );
      expect(
        await codeOf(host.session({ ...options, intent: 'review', accept: { in: directories, by } })),
      ).toBe('pin_required');
      expect(await codeOf(host.session(options))).toBe('pin_required');
    });
    expect([project.marks(), agreementRows(project.state)]).toEqual([[], '']);
  });

  test('through the socket, whatever the request claims', async () => {
    await withHost(async (host) => {
      await host.operator.setPin(pin, 'operator');
      const onBug = (error: unknown) => {
        throw error;
      };
      const path = socketPath(project.state);
      const server = await openSocketServer(host, {
        path,
        version,
        state: project.state,
        now: Date.now,
        onBug,
      });
      const client = await connectHost({ state: project.state });
      const options = { directories: [project.packages], root: project.workspace };
      for (const [, by] of proofs)
        expect(await codeOf(client.session({ ...options, accept: { in: options.directories, by } }))).toBe(
          'pin_required',
        );
      expect(await codeOf(client.session(options))).toBe('pin_required');
      expect(agreementRows(project.state)).toBe('');
      // Control: with the PIN it is accepted, and recorded as verified.
      const by: Actor = { name: 'operator', channel: 'terminal', pin };
      await client.session({ ...options, accept: { in: options.directories, by } });
      const links = (await host.auditTail(50)).filter((it) => it.body.operation === 'link');
      expect(links).toMatchObject([{ body: { by: 'operator', verified: true, accepted: 6 } }]);
      await client.close();
      await server.close();
    });
  });

  test('of a call without a terminal, which fails, while what was accepted before still runs', async () => {
    const patch = join(project.packages, 'mark_patch.py');
    expect(await run('review', patch, '--yes')).toMatchObject({ code: 0 });
    const pinFile = join(project.path, 'pin');
    writeFileSync(pinFile, pin);
    expect(await run('pin', 'set', '--pin-file', pinFile)).toMatchObject({ code: 0 });
    const before = agreementRows(project.state);
    const denied = await run('call', join(project.packages, 'nexo'), 'go', '{}', '--root', project.workspace);
    expect(denied).toMatchObject({ code: 5, stderr: expect.stringContaining('nobody has accepted it yet') });
    expect([project.marks(), agreementRows(project.state)]).toEqual([[], before]);
    const known = ['call', '--dir', project.packages, 'mark_patch', '{}', '--root', project.workspace];
    expect(await run(...known)).toMatchObject({ code: 0 });
    expect(project.marks()).toEqual(['patch']);
    // Control: with the PIN the same call accepts the package and runs.
    const nexo = join(project.packages, 'nexo');
    const always = ['approvals', 'allow', 'mark-nexo', '--dir', nexo, '--pin-file', pinFile];
    expect(await run(...always)).toMatchObject({ code: 0 });
    const allowed = ['call', nexo, 'go', '{}', '--root', project.workspace];
    expect(await run(...allowed, '--pin-file', pinFile)).toMatchObject({ code: 0 });
    expect(project.marks()).toEqual(['patch', 'nexo']);
  });
});

test('control: without a PIN a call elsewhere accepts the package that it names, unverified', async () => {
  const path = join(project.packages, 'mark_patch.py');
  expect(await run('call', path, '{}', '--root', project.workspace)).toMatchObject({ code: 0 });
  expect(project.marks()).toEqual(['patch']);
  const { stdout } = await run('audit', 'tail', '--json');
  expect(stdout).toMatch(/"operation":"link".*"verified":false/);
});

test('without a terminal, a folder that nobody typed is not accepted', async () => {
  const call = ['call', 'mark_patch', '{}', '--root', project.workspace];
  expect(await run(...call)).toMatchObject({ code: 5, stderr: expect.stringContaining('toolwharf review') });
  expect([project.marks(), agreementRows(project.state)]).toEqual([[], '']);
  // Control: typed, it is.
  expect(await run(...call, '--dir', '.')).toMatchObject({ code: 0 });
});

describe('serve', () => {
  async function served(...paths: readonly string[]): Promise<readonly { state: string }[]> {
    const args = [
      'serve',
      ...paths,
      '--json',
      '--no-http',
      '--root',
      project.workspace,
      '--state',
      project.state,
    ];
    const child = spawn(process.execPath, [main, ...args], {
      cwd: project.packages,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    await until(() => out.includes('\n'), 30_000);
    const ended = new Promise((done) => child.once('exit', done));
    child.kill();
    await ended;
    return JSON.parse(out.split('\n', 1)[0] as string).packages;
  }

  test('accepts the path that a person typed, and no other folder', async () => {
    const untyped = await served();
    expect(new Set(untyped.map((it) => it.state))).toEqual(new Set(['needs-review']));
    expect([project.marks(), agreementRows(project.state)]).toEqual([[], '']);
    const typed = await served('.');
    expect(new Set(typed.map((it) => it.state))).toEqual(new Set(['ready']));
  });
});

describe.each<Era>(['2025', '2026'])('what a cloned repository makes a client of %s start', (era) => {
  async function client(): Promise<{ client: Client; stderr: () => string }> {
    const args = [main, 'mcp', project.packages, '--root', project.workspace, '--state', project.state];
    const env = { ...(process.env as Record<string, string>), TOOLWHARF_IDLE: '1s' };
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
    let text = '';
    transport.stderr?.on('data', (chunk) => {
      text += chunk;
    });
    const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' };
    const opened = new Client({ name: 'cloned', version: '1.0.0' }, { versionNegotiation: { mode } });
    await opened.connect(transport);
    return { client: opened, stderr: () => text };
  }
  const toolNames = async (of: Client) => (await of.listTools()).tools.map((it) => it.name);

  test('accepts nothing and starts nothing; what needs review is named with the command', async () => {
    const first = await client();
    expect(await toolNames(first.client)).not.toContain('mark_patch');
    const command = `toolwharf review mark_patch --dir ${join(project.packages, 'mark_patch.py')} --state ${project.state}`;
    expect(first.client.getInstructions()).toContain(command);
    await until(() => first.stderr().includes(command));
    expect([project.marks(), agreementRows(project.state)]).toEqual([[], '']);
    await first.client.close();
    // The command works as it was shown, and then the tool is served.
    const [, ...words] = `${command} --yes`.split(' ');
    const env = { HOME: project.path };
    expect(await toolwharf(words, { cwd: project.path, env })).toMatchObject({ code: 0 });
    const second = await client();
    expect(await toolNames(second.client)).toContain('mark_patch');
    expect(second.client.getInstructions()).not.toContain('mark_patch.py');
    await second.client.close();
  }, 60_000);
});

test('an MCP client cannot ask the host to accept, or to look with other rights', async () => {
  await withHost(async (host) => {
    const path = socketPath(project.state);
    const server = await openSocketServer(host, {
      path,
      version,
      state: project.state,
      now: Date.now,
      onBug: () => {},
    });
    const hello = {
      ...{
        toolwharf: 'hello',
        version,
        protocol: 'mcp',
        principal: 'mallory/mcp',
        intent: 'use',
        accept: null,
      },
      ...{ directories: [project.packages], root: project.workspace, allow: [], environment: {}, policy: {} },
    };
    const answerTo = (sent: object) =>
      new Promise<string>((resolve, reject) => {
        const socket = createConnection(path);
        socket.once('error', reject);
        socket.once('data', (chunk) => {
          socket.destroy();
          resolve(JSON.parse(String(chunk).split('\n', 1)[0] as string).toolwharf);
        });
        socket.write(`${JSON.stringify(sent)}\n`);
      });
    const accept = { in: [project.packages], by: 'mallory' };
    for (const wrong of [{ accept }, { accept: undefined }, { intent: 'review' }, { intent: 'everything' }])
      expect(await answerTo({ ...hello, ...wrong }), JSON.stringify(wrong)).toBe('rejected');
    expect(agreementRows(project.state)).toBe('');
    // Control: without it the client is welcome.
    expect(await answerTo(hello)).toBe('welcome');
    await server.close();
  });
});

test('connect accepts the folders that a person named, without starting anything; its previews do not', async () => {
  for (const preview of ['--print', '--dry-run']) {
    await run('connect', 'cursor', project.packages, preview);
    expect(agreementRows(project.state)).toBe('');
  }
  expect(await run('connect', 'cursor', project.packages, '--yes')).toMatchObject({ code: 0 });
  expect(agreementRows(project.state)).toContain('mark_patch.py');
  expect(project.marks()).toEqual([]);
});

test('a session that looks can do nothing else, even if a program asks it to', async () => {
  await withHost(async (host) => {
    const directories = [project.packages];
    await (
      await host.session({ directories, intent: 'review', accept: { in: directories, by: 'me' } })
    ).close();
    const rows = agreementRows(project.state);
    const session = await host.session({ directories, root: project.workspace, intent: 'look' });
    const { to } = await session.review('mark-nexo');
    const attempts: readonly ((it: Session) => Promise<unknown>)[] = [
      (it) => it.call({ tool: 'mark_patch', arguments: {} }),
      (it) => it.message('before_message', { text: 'a' }),
      (it) => it.prompt('mark-agent', {}),
      (it) => it.promptMessages('mark-agent', {}),
      (it) => it.resource('upstream://mark-toolspace/server/a'),
      (it) => it.accept('mark-nexo', to, 'me'),
      (it) => it.install('mark-nexo'),
    ];
    for (const attempt of attempts) expect(await codeOf(attempt(session))).toBe('not_supported');
    await session.tools();
    await session.prompts();
    await session.resources();
    expect([project.marks(), agreementRows(project.state)]).toEqual([[], rows]);
    // Control: a session for use starts the programs that announce their tools.
    await host.session({ directories, root: project.workspace, accept: null });
    expect(project.marks()).toEqual(['toolspace', 'nexo', 'mcp']);
  });
});

test('a package that appears in a reviewed folder needs review, also when the folder is named again', async () => {
  expect(await run('review', project.packages, '--yes')).toMatchObject({ code: 0 });
  project.write('evil.py', 'mark_patch.py', (text) => text.replace('mark_patch', 'evil'));
  const call = ['call', '--dir', project.packages, 'evil', '{}', '--root', project.workspace];
  expect(await run(...call)).toMatchObject({ code: 5 });
  expect(project.marks()).not.toContain('patch');
});
