// The life of an installed package as commands: what they print, and their exit codes in scripts.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CounterOptions, counterPackage } from '../../support/lifecycle-packages.js';
import { type LoopbackServer, loopbackServer, temporaryFolder, toolwharf } from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let server: LoopbackServer;
let status = 204;
const key = 'key-0123456789-abcdef';
const env = [{ name: 'API_KEY', prompt: 'The key.', secret: true, validation_regex: '^key-.+$' }];
const scopes = [{ resource: 'notes', actions: ['read'], rationale: 'To count their words.' }];

beforeAll(async () => {
  folder = temporaryFolder({ 'key.txt': `${key}\n`, 'wrong.txt': 'nothing\n' });
  mkdirSync(join(folder.path, 'work'));
  server = await loopbackServer((_, response) => {
    response.writeHead(status);
    response.end(status === 500 ? 'try later' : undefined);
  });
  write({});
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

function write(options: CounterOptions) {
  const killSwitch = { kind: 'url', url: `http://127.0.0.1:${server.port}/grants/1` };
  for (const [name, text] of Object.entries(counterPackage({ env, scopes, killSwitch, ...options }))) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  }
}

async function run(...args: readonly string[]) {
  const state = {
    HOME: folder.path,
    XDG_CONFIG_HOME: '',
    TOOLWHARF_HOME: join(folder.path, 'state'),
    TOOLWHARF_COMMAND: 'npx toolwharf',
  };
  const { code, stdout, stderr } = await toolwharf(args, { cwd: join(folder.path, 'work'), env: state });
  expect(stdout + stderr).not.toContain(key);
  return { code, stdout, stderr };
}
/** A file of the only installed package. */
function installedFile(name: string): string {
  const trees = join(folder.path, 'state/store/trees');
  const found = readdirSync(trees).map((it) => join(trees, it, name));
  return found.find((it) => existsSync(it)) ?? '';
}
const source = '../counter';
const secret = ['--secret', 'API_KEY=@../key.txt'];
const grant = () => ['--allow', `net:127.0.0.1:${server.port}`];

test('a plan is agreed to by name or by digest, and never by accident', async () => {
  const shown = await run('plan', source);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('To count their words.') });
  const { digest, requires } = JSON.parse((await run('plan', source, '--json')).stdout);
  expect(requires).toEqual(['scope:notes']);
  expect(await run('install', source, ...secret)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`--agree ${digest}`),
  });
  expect(await run('install', source, '--yes', ...secret)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('--allow scope:notes'),
  });
  expect(await run('install', source, '--agree', 'f'.repeat(64), ...secret)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining(digest),
  });
  expect(await run('install', source, '--agree', digest)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('--secret API_KEY=@FILE'),
  });
  for (const name of ['API_KEY=-', 'API_KEY=@-']) {
    const env = { HOME: folder.path, XDG_CONFIG_HOME: '', TOOLWHARF_HOME: join(folder.path, 'state') };
    const args = ['install', source, '--agree', digest, '--secret', name];
    expect(
      await toolwharf(args, { cwd: join(folder.path, 'work'), env, stdin: 'nothing\n' }),
      name,
    ).toMatchObject({ code: 2, stderr: expect.stringContaining('API_KEY must match') });
  }
  expect(await run('install', source, '--agree', digest, '--secret', 'API_KEY=@../wrong.txt')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('API_KEY must match'),
  });
  expect(await run('list')).toMatchObject({ stdout: expect.not.stringContaining('counter') });
}, 60_000);

test('from installation to revocation', async () => {
  const allow = [...grant(), '--allow', 'scope:notes'];
  const installed = await run('install', source, '--yes', ...allow, ...secret, '--skip-smoke');
  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining('installed counter 1.0.0') });
  expect((await run('list')).stdout).toContain('its smoke test was skipped on');
  expect((await run('info', 'counter')).stdout).toContain('its smoke test was skipped on');
  expect(await run('verify', 'counter')).toMatchObject({ code: 0, stdout: 'counter  works\n' });
  expect((await run('info', 'counter')).stdout).toContain('its smoke test passed on');

  const code = installedFile('counter.py');
  const text = readFileSync(code, 'utf8');
  chmodSync(code, 0o644);
  writeFileSync(code, `${text}# Changed.\n`);
  expect(await run('verify', 'counter')).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/the files in .* were changed: expected .*, found /),
  });
  writeFileSync(code, text);
  expect(await run('verify', 'counter')).toMatchObject({ code: 0 });

  write({ version: '1.1.0' });
  expect(await run('outdated')).toMatchObject({ code: 0, stdout: expect.stringContaining('1.1.0') });
  const smoke = { kind: 'shell', command: ['python3', '-c', 'print(1)'], success: {} };
  write({ version: '1.1.0', smoke });
  expect(await run('update', 'counter', '--yes', ...allow)).toMatchObject({ code: 5 });
  write({ version: '1.1.0', code: "if sys.argv[1:] == ['count']: sys.exit('no index')" });
  expect(await run('update', 'counter', '--yes', ...allow)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no index'),
  });
  expect(await run('history', 'counter')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\* 1 /) });
  write({ version: '1.1.0' });
  expect(await run('update', 'counter', '--yes', ...allow)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('updated counter from 1.0.0'),
  });
  expect(await run('rollback', 'counter', '7')).toMatchObject({ code: 2 });
  expect(await run('rollback', 'counter')).toMatchObject({ code: 0 });
  expect((await run('history', 'counter')).stdout).toMatch(/^ {2}2 .*\n\* 1 /);
  expect(await run('gc')).toMatchObject({ code: 0, stdout: expect.stringContaining('removed 0 old') });

  expect(await run('revoke', 'counter')).toMatchObject({ code: 2 });
  expect(await run('revoke', 'counter', '--retry', '--yes')).toMatchObject({ code: 2 });
  status = 500;
  expect(await run('revoke', 'counter', '--yes')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /answered 500: try later[\s\S]*try again: npx toolwharf revoke counter --retry;/,
    ),
  });
  // Until that is finished, it is named, and only an installation serves it again.
  const retry = /^counter: .* npx toolwharf revoke counter --retry$/m;
  expect((await run('list')).stdout).toMatch(retry);
  expect(await run('list', 'counter')).toMatchObject({ code: 0, stdout: expect.stringMatching(retry) });
  expect((await run('list', '--attention')).stdout).toMatch(
    /^revoking {2}counter: it is stopped, but not completely revoked\n.* revoke counter --retry$/m,
  );
  expect(await run('update', 'counter', '--yes', ...allow)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('counter is being revoked'),
  });
  status = 204;
  expect(await run('revoke', 'counter', '--retry', '--yes')).toMatchObject({ code: 0 });
  expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
}, 90_000);

test('a revocation that needs a grant names it in the command that tries again', async () => {
  write({});
  const port = `net:127.0.0.1:${server.port}`;
  const installed = await run('install', source, '--yes', '--allow', 'scope:notes', ...secret);
  expect(installed).toMatchObject({ code: 0 });
  expect((await run('plan', source)).stdout).toMatch(
    /may go to its kill switch only[\s\S]*is on this machine, and works only with/,
  );
  const before = server.requests.length;
  const retry = `revoke counter --retry --allow ${port};`;
  expect(await run('revoke', 'counter', '--yes')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(retry),
  });
  expect(await run('revoke', 'counter', '--retry', '--yes')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(retry),
  });
  expect(server.requests).toHaveLength(before);
  expect(await run('revoke', 'counter', '--retry', '--yes', '--allow', port)).toMatchObject({ code: 0 });
  expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
}, 60_000);

test('a package that is not installed', async () => {
  for (const command of ['update', 'verify', 'history', 'rollback', 'revoke', 'remove'])
    expect(await run(command, 'counter'), command).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('counter is not installed'),
    });
}, 60_000);

test('a lock file: saved here, restored with one agreement elsewhere', async () => {
  const project = (name: string) => join(folder.path, name);
  const at = async (name: string, ...args: readonly string[]) => {
    const env = {
      HOME: folder.path,
      XDG_CONFIG_HOME: '',
      TOOLWHARF_HOME: join(folder.path, `state-${name}`),
    };
    return toolwharf(args, { cwd: project(name), env });
  };
  write({});
  mkdirSync(project('one/tools'), { recursive: true });
  cpSync(join(folder.path, 'counter'), project('one/tools/counter'), { recursive: true });
  expect(await at('one', 'install')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no lock file'),
  });
  expect(await at('one', 'install', '--locked', 'tools/counter')).toMatchObject({ code: 2 });
  const allow = ['--allow', 'scope:notes'];
  const value = ['--secret', 'API_KEY=@../key.txt'];
  const saved = await at('one', 'install', 'tools/counter', '--save', '--yes', ...allow, ...value);
  expect(saved).toMatchObject({ code: 0, stdout: expect.stringContaining('toolwharf.lock') });
  expect(await at('one', 'why', 'counter')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /agreed to by .*\n {2}source .*tools\/counter\n.*lock file .*toolwharf\.lock\n/s,
    ),
  });

  cpSync(project('one'), project('two'), { recursive: true });
  const { digest } = JSON.parse((await at('two', 'plan', '--json')).stdout);
  expect(await at('two', 'install', ...value)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(digest),
  });
  expect(await at('two', 'install', '--yes', ...value)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('--allow scope:notes'),
  });
  expect(await at('two', 'install', '--agree', 'f'.repeat(64), ...value)).toMatchObject({ code: 6 });
  expect(await at('two', 'install', '--locked', '--agree', digest)).toMatchObject({ code: 4 });
  expect(await at('two', 'install', '--locked', '--agree', digest, ...value)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('installed counter 1.0.0'),
  });
  expect(await at('two', 'install', '--locked', './tools/counter')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is installed already; nothing was changed'),
  });
  expect(await at('two', 'install', '--locked', 'npm:other')).toMatchObject({ code: 6 });

  cpSync(project('one'), project('three'), { recursive: true });
  writeFileSync(join(project('three'), 'tools/counter/more.txt'), 'more');
  expect(await at('three', 'install', '--yes', ...allow, ...value)).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/found [0-9a-f]{64}, expected [0-9a-f]{64}/),
  });
}, 120_000);
