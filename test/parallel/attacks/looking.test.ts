// SECURITY.md: "Looking starts nothing and accepts nothing".
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtInFormats } from '../../../src/formats/built-in-formats.js';
import { commands } from '../../../src/serve/cli/command/commands.js';
import {
  agreementRows,
  type MarkingProject,
  markingPackages,
  markingProject,
} from '../../support/marking-packages.js';
import { atTerminal, main, type Outcome, toolwharf, until } from '../../support/toolwharf.js';

const pin = ['only', 'the', 'operator', '9'].join('-');
const each = (line: (it: (typeof markingPackages)[number]) => readonly string[]) => markingPackages.map(line);

/**
 * How each command looks. A command that is missing here fails the first test. Commands that only act have no line. `%`
 * stands for the folder of all packages.
 */
const looks: Readonly<Record<string, readonly (readonly string[])[]>> = {
  init: [['patch', 'other.py', '--dry-run']],
  validate: [['%'], ['%', '--json']],
  contribute: [
    ['%', '--dry-run'],
    ['%', '--dry-run', '--json'],
  ],
  publish: [['%/mark_patch.py', '--dry-run']],
  search: [['marks']],
  registry: [
    ['review', 'list'],
    ['review', 'approve', 'a0', '--dry-run'],
  ],
  list: [['%'], ['%', '--json'], ['%', '--attention']],
  info: [['%'], ['%', '--json'], ...each((it) => [it.id, '--dir', '%'])],
  call: each((it) => [`%/${it.path}`, it.tool, '{}', '--dry-run']),
  dev: [],
  test: [],
  serve: [],
  open: [],
  mcp: [],
  pin: [['remove', '--dry-run']],
  token: [['create', 'one', '--dry-run']],
  set: [['save', 'one', '--hide', 'mark-talos/go', '--dry-run'], ['list']],
  connect: [['claude-code', '%', '--dry-run', '--yes']],
  export: [['%/findagent', '--target', 'chatgpt', '--dry-run']],
  'sign-in': [[], ['mark-talos', '--dir', '%', '--dry-run']],
  'sign-out': [['mark-talos', '--dry-run']],
  secret: [['set', 'mark-talos', 'key', '--dry-run']],
  // The same plan as "install --dry-run", which has all formats.
  plan: [['%/mark_patch.py'], ['%/toolspace', '--json']],
  add: [['server', '--dry-run', '--url', 'https://mcp.example.com/mcp']],
  import: [['servers.json', '--dry-run']],
  install: each((it) => [`%/${it.path}`, '--dry-run']),
  requests: [['list'], ['refuse', 'req_0', '--dry-run']],
  session: [['list'], ['endorsements'], ['new', 'lab_0', '--dry-run']],
  learn: [
    ['mark-talos', '--dir', '%', '--dry-run'],
    ['mark-talos', '--undo', '--dry-run'],
  ],
  verify: [],
  update: [['mark-talos', '--dry-run']],
  outdated: [[]],
  why: [['mark-talos', '--dir', '%']],
  history: [['mark-talos']],
  rollback: [['mark-talos', '--dry-run']],
  revoke: [['mark-talos', '--dry-run']],
  remove: [['mark-talos', '--dry-run']],
  gc: [['--dry-run']],
  review: [['%', '--dry-run'], ['%', '--json'], ...each((it) => [it.id, '--dir', '%', '--dry-run'])],
  enable: [['mark-talos', '--dry-run']],
  disable: [['mark-talos', '--dry-run']],
  kill: [['all', '--dry-run']],
  quarantine: [[], ['restore', 'mov_0', '--dry-run']],
  approvals: [['allow', 'mark-toolspace/go', '--dir', '%', '--dry-run'], ['list']],
  policy: [['accept', '--dry-run'], ...each((it) => ['explain', `${it.id}/${it.tool}`, '{}', '--dir', '%'])],
  audit: [['tail']],
  store: [['copy', '--to', 'postgres://nobody@127.0.0.1:1/none', '--dry-run']],
  doctor: [[]],
  complete: [
    ['bash', 'call', ''],
    ['bash', 'info', '--dir', '%', ''],
  ],
  completion: [['bash']],
  config: [['list'], ['set', 'limits.seconds', '5', '--dry-run']],
  schema: [['patch']],
  explain: [['needs_review']],
  host: [],
};

const acceptSessionOptions = ['list', 'info', 'call', 'plan', 'install', 'review', 'policy', 'connect'];

let project: MarkingProject;
let host: ChildProcess | undefined;
let pinFile: string | undefined;
beforeEach(async () => {
  project = await markingProject();
  const server = { command: 'node', args: [join(project.packages, 'mcp', 'marking-mcp.mjs')] };
  writeFileSync(join(project.workspace, 'servers.json'), JSON.stringify({ mcpServers: { marking: server } }));
});
afterEach(async () => {
  await stopHost();
  await project.close();
  pinFile = undefined;
});

async function stopHost(): Promise<void> {
  const child = host;
  host = undefined;
  if (child === undefined || child.exitCode !== null) return;
  const ended = new Promise((done) => child.once('exit', done));
  child.kill();
  await ended;
}

/** The command line with the state, the workspace as current folder, and the grant that a call would need. */
function argvOf(command: string, line: readonly string[]): string[] {
  const words = line.map((it) => it.replace('%', project.packages));
  const grant = acceptSessionOptions.includes(command) ? ['--allow', project.grant] : [];
  return [command, ...words, ...grant, '--state', project.state];
}

function run(command: string, ...line: readonly string[]): Promise<Outcome> {
  const home = { HOME: project.path, XDG_CONFIG_HOME: '', TOOLWHARF_HOME: '' };
  return toolwharf(argvOf(command, line), { cwd: project.workspace, env: home, stdin: 'text' });
}

function proof(): readonly string[] {
  return pinFile === undefined ? [] : ['--pin-file', pinFile];
}

async function setPin(): Promise<void> {
  pinFile = join(project.path, 'pin');
  writeFileSync(pinFile, pin);
  expect(await run('pin', 'set', '--pin-file', pinFile)).toMatchObject({ code: 0 });
}

/** A host in the background, as an MCP client starts it. */
async function startHost(): Promise<void> {
  host = spawn(process.execPath, [main, 'host', '--state', project.state], { stdio: 'ignore' });
  await until(() => existsSync(join(project.state, 'toolwharf.db')));
}

const allLooks = commands.flatMap(({ name }) => (looks[name] ?? []).map((line) => ({ name, line })));

/** Runs every looking command; nothing may differ afterwards. */
async function expectOnlyLooking(): Promise<void> {
  const before = { rows: agreementRows(project.state), list: (await run('list', '%', '--json')).stdout };
  for (const { name, line } of allLooks) {
    const { stderr } = await run(name, ...line);
    expect(stderr, `${name} ${line.join(' ')}`).not.toContain('internal error');
  }
  expect(project.marks()).toEqual([]);
  expect(agreementRows(project.state)).toBe(before.rows);
  expect((await run('list', '%', '--json')).stdout).toBe(before.list);
}

async function states(): Promise<readonly string[]> {
  const { packages } = JSON.parse((await run('list', '%', '--json')).stdout);
  return [...new Set(packages.map((it: { state: string }) => it.state))] as string[];
}

test('every command is known to this test, and the packages cover every format', async () => {
  expect(Object.keys(looks).sort()).toEqual(commands.map((it) => it.name).sort());
  expect(markingPackages.map((it) => it.format).sort()).toEqual(builtInFormats.map((it) => it.name).sort());
  for (const { name, effect, load } of commands) {
    const { options } = await load(async () => builtInFormats);
    const hasDryRun = options.some((it) => it.name === 'dry-run');
    const lines = looks[name] ?? [];
    if (effect === 'reads') expect(lines.length, `${name} reads`).toBeGreaterThan(0);
    if (hasDryRun && name !== 'audit')
      expect(
        lines.some((it) => it.includes('--dry-run')),
        `${name} --dry-run`,
      ).toBe(true);
  }
});

describe.each([
  { hasPin: false, hasHost: false },
  { hasPin: true, hasHost: false },
  { hasPin: false, hasHost: true },
  { hasPin: true, hasHost: true },
])('looking, with a PIN: $hasPin, beside a running host: $hasHost,', ({ hasPin, hasHost }) => {
  test('starts no program and changes no agreement of new, accepted and changed packages', async () => {
    if (hasPin) await setPin();
    if (hasHost) await startHost();
    // Each sweep runs some fifty commands; in the mixed cases the most dangerous state is enough.
    const isMixed = hasPin !== hasHost;
    // New: nobody has accepted anything.
    expect(await states()).toEqual(['needs-review']);
    if (!isMixed) await expectOnlyLooking();
    expect(agreementRows(project.state)).toBe('');
    // Accepted, but no program ever ran.
    expect(await run('review', '%', '--yes', ...proof())).toMatchObject({ code: 0 });
    expect(await states()).toEqual(['ready']);
    const { stdout } = await run('info', 'mark-toolspace', '--dir', '%');
    expect(stdout).toContain('it starts on first use');
    if (!isMixed) await expectOnlyLooking();
    // Under review.
    project.reword();
    expect(await states()).toEqual(['needs-review']);
    await expectOnlyLooking();
  }, 400_000);
});

test('an edit that needs no review is shown as it would be, and not stored by looking', async () => {
  await run('review', '%', '--yes');
  const path = join(project.packages, 'mark_patch.py');
  writeFileSync(path, `${readFileSync(path, 'utf8')}# A comment.\n`);
  const before = agreementRows(project.state);
  expect(await states()).toEqual(['ready']);
  expect(agreementRows(project.state)).toBe(before);
  // Control: a call stores it.
  expect(await run('call', '%/mark_patch.py', '{}')).toMatchObject({ code: 0 });
  expect(agreementRows(project.state)).not.toBe(before);
}, 60_000);

test('looking shows the last announcement of a program that does not run', async () => {
  expect(await run('call', '%/toolspace', 'go', '{}')).toMatchObject({ code: 0 });
  rmSync(join(project.workspace, 'mark-toolspace'));
  const { stdout } = await run('info', 'mark-toolspace', '--dir', '%');
  expect(stdout).toContain('go');
  expect(stdout).not.toContain('it starts on first use');
  expect(await run('policy', 'explain', 'mark-toolspace/go', '--dir', '%')).toMatchObject({ code: 0 });
  expect(project.marks()).toEqual([]);
}, 60_000);

const strace = '/usr/bin/strace';
/** Whether this machine lets a process trace its children. */
const canTrace = spawnSync(strace, ['-f', '-qq', '-e', 'trace=execve', '/bin/true']).status === 0;

/** All programs that a command executed, and all its mounts. */
async function trace(command: string, ...line: readonly string[]): Promise<string> {
  const file = join(project.path, 'trace');
  const child = spawn(
    strace,
    [
      ...['-f', '-qq', '-s', '4096', '-v', '-e', 'trace=execve,mount', '-o', file],
      ...[process.execPath, main, ...argvOf(command, line)],
    ],
    { cwd: project.workspace, env: { ...process.env, HOME: project.path }, stdio: 'ignore' },
  );
  await new Promise((done) => child.once('close', done));
  return readFileSync(file, 'utf8');
}

test.skipIf(!canTrace)(
  'no command that looks executes a program of a package or mounts the workspace (needs strace)',
  async () => {
    await run('review', '%', '--yes');
    const programs = markingPackages.flatMap((it) => it.program ?? []);
    // The command line of the looking command itself names paths of packages.
    const isOwn = (it: string) => it.includes(main);
    for (const { name, line } of allLooks.filter((it) => acceptSessionOptions.includes(it.name))) {
      const lines = (await trace(name, ...line)).split('\n').filter((it) => !isOwn(it));
      const found = lines.filter(
        (it) =>
          (it.includes('execve(') && programs.some((program) => it.includes(program))) ||
          (it.includes('mount(') && it.includes(project.workspace)),
      );
      expect(found, `${name} ${line.join(' ')}`).toEqual([]);
    }
    // Control: a call executes the program and mounts the workspace.
    const called = (await trace('call', '%/nexo', 'go', '{}')).split('\n').filter((it) => !isOwn(it));
    expect(called.some((it) => it.includes('execve(') && it.includes('marking-extension.py'))).toBe(true);
    expect(called.some((it) => it.includes('mount(') && it.includes(project.workspace))).toBe(true);
  },
  200_000,
);

describe('control: a call at a terminal', () => {
  const options = () => ['--root', project.workspace, '--allow', project.grant, '--state', project.state];

  test.each(markingPackages)('accepts the $format package, and its program leaves a mark', async (it) => {
    const args = ['call', join(project.packages, it.path), it.tool, '{}', ...options()];
    // Three formats declare no effects, so the person is asked about the call too.
    const yes = ['talos', 'nexo', 'mcp'].includes(it.format) ? { after: 'Run it once', type: 'y\r' } : {};
    const shown = await atTerminal(args, yes);
    expect(shown).not.toContain('error');
    expect(project.marks()).toEqual([it.format]);
    expect(agreementRows(project.state)).toContain(join(project.packages, it.path));
  });

  test('asks for the PIN once one is set, and a wrong one accepts nothing', async () => {
    await setPin();
    const path = join(project.packages, 'mark_patch.py');
    const typing = (text: string) => ({ after: 'PIN', type: `${text}\r` });
    const wrong = await atTerminal(['call', path, '{}', ...options()], typing('not-the-pin-1'));
    expect(wrong).toContain('needed to accept mark_patch');
    expect(wrong).toContain('the PIN is wrong');
    expect([project.marks(), agreementRows(project.state)]).toEqual([[], '']);
    await atTerminal(['call', path, '{}', ...options()], typing(pin));
    expect(project.marks()).toEqual(['patch']);
    expect(agreementRows(project.state)).toContain('mark_patch.py');
  });
});
