// Ctrl-C at each step of a change: exit code 130, and nothing is half done. A server on loopback never answers, so that
// the command waits in the step.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChangeJournal } from '../../../src/store/change-journal.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { type CounterOptions, counterPackage } from '../../support/lifecycle-packages.js';
import {
  atTerminal,
  type LoopbackServer,
  loopbackServer,
  temporaryFolder,
  toolwharf,
  until,
} from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let server: LoopbackServer;
beforeEach(async () => {
  folder = temporaryFolder({});
  server = await loopbackServer(() => {});
});
afterEach(async () => {
  await server.close();
  folder.remove();
});

const source = () => join(folder.path, 'counter');
const state = () => ['--state', join(folder.path, 'state')];
const url = (path: string) => `http://127.0.0.1:${server.port}${path}`;
const grant = () => ['--allow', `net:127.0.0.1:${server.port}`];

function write(options: CounterOptions) {
  for (const [name, text] of Object.entries(counterPackage(options))) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  }
}

/** Runs the command and sends Ctrl-C as soon as it waits for the server. */
const interrupted = (...args: readonly string[]) => ended('SIGINT', args);

async function ended(signal: 'SIGINT' | 'SIGKILL', args: readonly string[]) {
  const env = { HOME: folder.path, XDG_CONFIG_HOME: '' };
  return toolwharf([...args, ...state()], {
    cwd: folder.path,
    env,
    during: (child) => void until(() => server.requests.length > 0).then(() => child.kill(signal)),
  });
}

/** `find STATE`, without the journals of the database, which come and go with its connections. */
function allFiles() {
  const all = readdirSync(join(folder.path, 'state'), { recursive: true, encoding: 'utf8' });
  return all.filter((it) => !/\.db-(?:wal|shm)$/.test(it)).sort();
}

/** What is stored: installed packages, unfinished changes, values and trees. */
async function left() {
  const database = openDatabase(join(folder.path, 'state'));
  const installed = await database.selectFrom('installation').select(['package', 'state']).execute();
  const secrets = await database.selectFrom('secret').select('slot').execute();
  const journal = await new ChangeJournal(database, Date.now).list();
  await database.destroy();
  const trees = join(folder.path, 'state', 'store', 'trees');
  const stored = existsSync(trees) ? readdirSync(trees) : [];
  return { installed, secrets, journal, trees: stored.length };
}
const nothing = { installed: [], secrets: [], journal: [], trees: 0 };

test('fetch', async () => {
  const registry = ['--npm-registry', url('/')];
  expect(await interrupted('install', 'npm:tool@^1.0.0', '--yes', ...registry)).toMatchObject({ code: 130 });
  expect(await left()).toEqual(nothing);
});

test('environment', async () => {
  write({});
  // Without its code in the folder, the package needs what its manifest installs.
  rmSync(join(source(), 'counter.py'));
  const index = ['--index', url('/simple')];
  expect(await interrupted('install', source(), '--yes', '--skip-smoke', ...index)).toMatchObject({
    code: 130,
  });
  expect(await left()).toEqual(nothing);
});

test('smoke test', async () => {
  write({ smoke: { kind: 'http', url: url('/health'), success: { http_status: 200 } } });
  expect(await interrupted('install', source(), '--yes', ...grant())).toMatchObject({ code: 130 });
  expect(await left()).toEqual(nothing);
});

test('credentials', async () => {
  write({ env: [{ name: 'API_KEY', prompt: 'The key of the counter.', secret: true }] });
  const shown = await atTerminal(['install', source(), ...state()], {
    after: 'Install it?',
    type: 'y\r',
    later: [{ after: 'API_KEY', type: '\x03' }],
  });
  expect(shown).not.toContain('installed');
  expect(await left()).toEqual(nothing);
});

test('the question', async () => {
  write({});
  const shown = await atTerminal(['install', source(), ...state()], { after: 'Install it?', type: '\x03' });
  expect(shown).not.toContain('installed');
  expect(await left()).toEqual(nothing);
});

test('an update: the generation before it stays, with its value', async () => {
  const env = [{ name: 'API_KEY', prompt: 'The key of the counter.', secret: true }];
  writeFileSync(join(folder.path, 'key.txt'), 'the-first-value');
  writeFileSync(join(folder.path, 'other.txt'), 'a-longer-second-value');
  // It tells the values apart by their length.
  const code = "answer = len(os.environ.get('API_KEY', ''))";
  write({ env, code });
  const home = { HOME: folder.path, XDG_CONFIG_HOME: '' };
  const first = ['install', source(), '--yes', '--secret', `API_KEY=@${join(folder.path, 'key.txt')}`];
  expect(await toolwharf([...first, ...state()], { cwd: folder.path, env: home })).toMatchObject({ code: 0 });
  const before = await left();
  write({ env, code, version: '1.1.0', smoke: { kind: 'http', url: url('/health'), success: {} } });
  const plan = ['plan', source(), ...grant(), '--json', ...state()];
  const { stdout } = await toolwharf(plan, { cwd: folder.path, env: home });
  const given = [
    '--agree',
    JSON.parse(stdout).digest,
    '--secret',
    `API_KEY=@${join(folder.path, 'other.txt')}`,
  ];
  expect(await interrupted('update', 'counter', ...given, ...grant())).toMatchObject({ code: 130 });
  expect(await left()).toEqual(before);
  const call = ['call', 'counter/count', '{"text":"a"}', ...state()];
  const answer = await toolwharf(call, { cwd: folder.path, env: home });
  expect(JSON.parse(answer.stdout)).toMatchObject({ answer: 'the-first-value'.length });
  const history = await toolwharf(['history', 'counter', ...state()], { cwd: folder.path, env: home });
  expect(history.stdout).toMatch(/^\* 1 .*\n$/);
});

test('kill switch: the package stays off, and its revocation can be tried again', async () => {
  write({ killSwitch: { kind: 'url', url: url('/grants/1') } });
  const env = { HOME: folder.path, XDG_CONFIG_HOME: '' };
  const args = ['install', source(), '--yes', '--skip-smoke', ...grant(), ...state()];
  expect(await toolwharf(args, { cwd: folder.path, env })).toMatchObject({ code: 0 });
  expect(await interrupted('revoke', 'counter', '--yes', ...grant())).toMatchObject({ code: 130 });
  expect(await left()).toMatchObject({
    installed: [{ package: 'counter', state: 'revoking' }],
    journal: [],
    trees: 1,
  });
});

test('kill -9 during an installation: the next command leaves the files that were there before', async () => {
  const env = { HOME: folder.path, XDG_CONFIG_HOME: '' };
  const run = (...args: readonly string[]) => toolwharf([...args, ...state()], { cwd: folder.path, env });
  write({});
  expect(await run('install', source(), '--yes')).toMatchObject({ code: 0 });
  expect(await run('remove', 'counter', '--yes')).toMatchObject({ code: 0 });
  const before = allFiles();
  write({ smoke: { kind: 'http', url: url('/health'), success: {} } });
  await ended('SIGKILL', ['install', source(), '--yes', ...grant()]);
  expect(server.requests).toHaveLength(1);
  expect(allFiles()).not.toEqual(before);
  expect(await run('list')).toMatchObject({ code: 0 });
  expect(allFiles()).toEqual(before);
  expect(await left()).toEqual(nothing);
}, 30_000);
