// toolwharf dev: the loop of an author.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agreementRows } from '../../../support/marking-packages.js';
import {
  atTerminal,
  main,
  patchTool,
  temporaryFolder,
  toolwharf,
  until,
} from '../../../support/toolwharf.js';
import { pythonTool, talos } from '../../../support/workbench.js';

const examples = join(import.meta.dirname, '../../../../examples');
let folder: ReturnType<typeof temporaryFolder>;
let open: OpenDev | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await open?.end();
  open = undefined;
  folder.remove();
});

const state = () => join(folder.path, 'state');
const at = (path: string) => join(folder.path, path);
const env = () => ({ HOME: folder.path, XDG_CONFIG_HOME: '', TOOLWHARF_HOME: '' });
const run = (args: readonly string[], stdin = '') =>
  toolwharf([...args, '--state', state()], { cwd: folder.path, env: env(), stdin });

function put(path: string, text: string): void {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), text);
}

interface OpenDev {
  type(line: string): void;
  /** Waits for a text that was not shown before the last call of this function. */
  shows(text: string): Promise<void>;
  end(): Promise<number | null>;
}

/** A session that stays open, with commands through a pipe. */
function startDev(...args: readonly string[]): OpenDev {
  const child: ChildProcess = spawn(process.execPath, [main, 'dev', ...args, '--state', state()], {
    cwd: folder.path,
    env: { ...process.env, ...env() },
    stdio: 'pipe',
  });
  let shown = '';
  let seen = 0;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      shown += chunk;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  open = {
    type: (line) => void child.stdin?.write(`${line}\n`),
    shows: async (text) => {
      await until(() => shown.includes(text, seen)).catch(() => {
        throw new Error(`${JSON.stringify(text)} is missing in ${shown.slice(seen)}`);
      });
      seen = shown.indexOf(text, seen) + text.length;
    },
    end: () => {
      child.stdin?.end();
      return ended;
    },
  };
  return open;
}

test('packages of three formats are called through a pipe, and nothing of it counts outside', async () => {
  cpSync(join(examples, 'patch/word_count.py'), at('tools/word_count.py'));
  cpSync(join(examples, 'talos/webhook-signatures'), at('tools/webhook-signatures'), { recursive: true });
  cpSync(join(examples, 'toolspace/json-diff'), at('tools/json-diff'), { recursive: true });
  const lines = [
    'word_count text="to be or not"',
    'diff {"before": {"a": 1}, "after": {"a": 2}}',
    'set signing_secret only-for-dev',
    `sign scheme=github body=hello`,
    'again',
    'save a signature',
    'values',
  ];
  const { code, stdout, stderr } = await run(
    ['dev', 'tools', '--undeclared-effect', 'none'],
    lines.join('\n'),
  );
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  expect(stdout).toContain('it needs signing_secret (Signing secret): set signing_secret');
  expect(stdout).toContain('"words": 4');
  expect(stdout).toContain('"path": "/a"');
  expect(stdout.split('sha256=')).toHaveLength(3);
  expect(stdout).toContain('webhook-signatures/signing_secret  secret  set');
  const saved = JSON.parse(
    readFileSync(at('tools/webhook-signatures/toolwharf-tests/webhook-signatures.json'), 'utf8'),
  );
  expect(saved.cases).toMatchObject([{ name: 'a signature', tool: 'sign' }]);
  // Nobody else sees the packages as accepted, or the value as set.
  expect(agreementRows(state())).toBe('');
  const { packages } = JSON.parse((await run(['list', 'tools', '--json'])).stdout);
  expect(packages.map((it: { state: string }) => it.state)).toEqual(Array(3).fill('needs-review'));
  expect((await run(['secret', 'list'])).stdout).toContain('no secrets or settings are stored');
}, 60_000);

test('a save is loaded without a review, also one that asks for more, and a broken one shows why', async () => {
  const valid = patchTool({ name: 'count' });
  const broken = valid.replace('version: "1.0.0"', 'version: one');
  put('tools/count.py', broken);
  const dev = startDev('tools');
  await dev.shows('error[');
  await dev.shows('tools/count.py  broken');
  // It was broken when dev started; the author's fix is enough.
  put('tools/count.py', valid);
  await dev.shows('was reloaded');
  dev.type('count text="a b"');
  await dev.shows('"words": 2');
  put(
    'tools/count.py',
    patchTool({ name: 'count', body: '    return {"words": -1}' })
      .replace('filesystem: none', 'filesystem: read-only')
      .replace('Do something', 'Do something else'),
  );
  await dev.shows('was reloaded');
  dev.type('again');
  await dev.shows('"words": -1');
  put('tools/count.py', broken);
  await dev.shows('error[');
  dev.type('again');
  await dev.shows('"words": -1');
  await dev.shows('the call used the last valid version');
  // A package that appears later could be somebody else's.
  put('tools/other.py', patchTool({ name: 'other' }));
  await dev.shows('other.py is new');
  dev.type('other text=x');
  await dev.shows('error: ');
  dev.type('tools');
  await dev.shows('other  needs-review');
  put('tools/count.py', valid);
  await dev.shows('count.py was reloaded');
}, 60_000);

test('a save during a call lets the call finish with the old files', async () => {
  const slow = (answer: string) =>
    patchTool({
      name: 'slow',
      body: `    import os, time\n    open("begun", "w").close()\n    while not os.path.exists("go"):\n        time.sleep(0.05)\n    return {"answer": "${answer}"}`,
    }).replace('filesystem: none', 'filesystem: read-write');
  mkdirSync(at('work'));
  chmodSync(at('work'), 0o777);
  put('slow.py', slow('old'));
  const dev = startDev('slow.py', '--root', 'work');
  await dev.shows('slow(text)');
  dev.type('slow text=x');
  await until(() => existsSync(at('work/begun')));
  put('slow.py', slow('new'));
  await dev.shows('was reloaded');
  put('work/go', '');
  await dev.shows('"answer": "old"');
  dev.type('again');
  await dev.shows('"answer": "new"');
  expect(await dev.end()).toBe(0);
}, 60_000);

test('only values that were set for dev reach a package', async () => {
  const files = talos({
    id: 'holder',
    functions: ['ask'],
    code: 'export const handlers = { ask: (_, credentials) => ({ length: credentials.token.length }) };',
    rest: { credentials: [{ name: 'token', label: 'Token', description: 'A token.', required: true }] },
  });
  for (const [path, text] of Object.entries(files)) put(path, text);
  const effects = at('effects.toml');
  put('effects.toml', '[[rules]]\ntool = "*"\nundeclared_effect = "write"\n');
  const real = await run(['secret', 'set', 'holder', 'token'], 'the-real-value-of-the-operator');
  expect(real).toMatchObject({ code: 0 });
  await run(['review', 'holder', '--yes']);
  // Control: a call on the operator's host gets it.
  const call = await run(['call', 'holder', 'ask', '{}', '--config', effects]);
  expect(JSON.parse(call.stdout)).toEqual({ length: 30 });
  const dev = ['dev', 'holder', '--undeclared-effect', 'write'];
  expect(await run(dev, 'ask')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('holder needs token'),
  });
  const answered = await run(dev, 'set token four\nask\nunset token\nask\n');
  expect(answered.stdout).toContain('"length": 4');
  expect(answered.code).toBe(4);
  const passed = await toolwharf([...dev, '--from-env', 'token=MY_TOKEN', '--state', state()], {
    ...{ cwd: folder.path, stdin: 'ask' },
    env: { ...env(), MY_TOKEN: 'sevenly' },
  });
  expect(passed.stdout).toContain('"length": 7');
}, 60_000);

test('tools do not see the state of the operator, and settings in files waive nothing', async () => {
  put(
    'tools/look.py',
    pythonTool({
      name: 'look',
      filesystem: 'read-only',
      humanConfirm: false,
      body: ['return {"state": os.path.exists("state/toolwharf.db"), "file": os.path.exists("plain.txt")}'],
    }),
  );
  put('plain.txt', 'x');
  await run(['list', 'tools']);
  const { stdout } = await run(['dev', 'tools'], 'look');
  expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toEqual({ state: false, file: true });
  // Control: the file is there.
  expect(existsSync(at('state/toolwharf.db'))).toBe(true);
  put('tools/sure.py', patchTool({ name: 'sure', humanConfirm: true }));
  put('user.toml', '[[rules]]\ntool = "sure/*"\napproval = "allow"\noverride_manifest = true\n');
  const held = await run(['dev', 'tools', '--config', 'user.toml'], 'sure text=x');
  expect(held.stderr).toContain('have no effect in dev');
  expect(held).toMatchObject({ code: 5, stderr: expect.stringContaining("needs a person's approval") });
  // Control: on the operator's host the rule counts.
  const call = await run(['call', 'tools/sure.py', '{"text":"x"}', '--config', 'user.toml']);
  expect(call).toMatchObject({ code: 0 });
}, 60_000);

test('at a terminal, Ctrl-C ends the call first, then the session, and a person approves there', async () => {
  put(
    'tools/wait.py',
    patchTool({ name: 'wait', body: '    import time\n    time.sleep(60)\n    return {}' }),
  );
  put('tools/sure.py', patchTool({ name: 'sure', humanConfirm: true }));
  const interrupt = '\u0003';
  const shown = await atTerminal(['dev', at('tools'), '--state', state()], {
    after: 'dev> ',
    type: 'wait text=x\r',
    later: [
      { after: 'running wait', type: interrupt },
      { after: 'dev> ', type: 'sure text="a b"\r' },
      { after: '[y/N]', type: 'y\r' },
      { after: '"words": 2', type: '' },
      { after: 'dev> ', type: 'half a line' },
      { after: 'half a line', type: interrupt },
      { after: 'dev> ', type: interrupt },
    ],
  });
  expect(shown).toContain('the call was canceled');
  expect(shown).toContain('"words": 2');
}, 60_000);

test('what an author types wrong is said, and a script gets the first exit code', async () => {
  put('count.py', patchTool({ name: 'count' }));
  const { code, stderr, stdout } = await run(
    ['dev', 'count.py'],
    [
      'count',
      'nothing',
      'again x',
      'set KEY value',
      'save',
      'count text="open',
      '# a comment',
      'count text=a',
    ].join('\n'),
  );
  expect(code).toBe(2);
  for (const text of ['text', 'no tool named "nothing"', 'no package here asks', 'a quote is open'])
    expect(stderr).toContain(text);
  expect(stdout).toContain('"words": 1');
  expect(await run(['dev'])).toMatchObject({ code: 2, stderr: expect.stringContaining('name the package') });
  expect(await run(['dev', 'missing'])).toMatchObject({ code: 2 });
  expect(await run(['dev', 'count.py', '--unsafe-no-sandbox'])).toMatchObject({ code: 2 });
  const first = startDev('count.py');
  await first.shows('count(text)');
  expect(await run(['dev', 'count.py'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('dev is already open for this path'),
  });
}, 60_000);
