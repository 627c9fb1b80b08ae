// SECURITY.md: "Waiving a question needs the operator". An agent with a shell tries every way to bring its own rule.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { atTerminal, main, type Outcome, temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import { pythonTool } from '../../support/workbench.js';

const pin = ['nobody', 'knows', '3'].join('-');
const rule = '[[rules]]\ntool = "marker"\napproval = "allow"\noverride_manifest = true\n';
const folder = temporaryFolder({
  'tools/marker.py': pythonTool({
    name: 'marker',
    humanConfirm: true,
    filesystem: 'read-write',
    head: ['import os'],
    body: ['open(os.path.join(text, "mark"), "w").close()', 'return {"done": True}'],
  }),
  'rule.toml': rule,
  'xdg/toolwharf/config.toml': rule,
  'home/.config/toolwharf/config.toml': rule,
  'project/toolwharf.toml': rule,
  'pin.txt': `${pin}\n`,
  'empty/keep': '',
});
const at = (...names: string[]) => join(folder.path, ...names);
const root = at('workspace');
const mark = at('workspace', 'mark');
const clean = { HOME: at('empty'), XDG_CONFIG_HOME: at('empty') };

function run(args: readonly string[], state: string, env = {}, cwd = at('empty')): Promise<Outcome> {
  return toolwharf([...args, '--state', at(state)], { cwd, env: { ...clean, ...env } });
}
const argumentsOfCall = JSON.stringify({ text: root });
const callArgs = ['call', at('tools', 'marker.py'), argumentsOfCall, '--root', root];

beforeAll(async () => {
  mkdirSync(root);
  chmodSync(root, 0o777);
  for (const state of ['guarded', 'accepted', 'open'])
    expect((await run(callArgs, state)).code, 'the call is held').toBe(5);
  for (const state of ['guarded', 'accepted']) await run(['pin', 'set', '--pin-file', at('pin.txt')], state);
  const done = await run(
    ['policy', 'accept', '--config', at('rule.toml'), '--yes', '--pin-file', at('pin.txt')],
    'accepted',
  );
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('accepted this setting')]);
}, 120_000);
afterAll(() => folder.remove());
beforeEach(() => rmSync(mark, { force: true }));

type Way = readonly [args: readonly string[], env?: Record<string, string>, cwd?: string];
const ways: Readonly<Record<string, Way>> = {
  '--config FILE': [['--config', at('rule.toml')]],
  XDG_CONFIG_HOME: [[], { XDG_CONFIG_HOME: at('xdg') }],
  HOME: [[], { HOME: at('home'), XDG_CONFIG_HOME: '' }],
};

describe.each(Object.entries(ways))('a rule that comes by %s', (_, [args, env, cwd]) => {
  test('does not run a held call once a PIN is set, and the command says why', async () => {
    const { code, stderr } = await run([...callArgs, ...args], 'guarded', env, cwd);
    expect([code, existsSync(mark)]).toEqual([5, false]);
    expect(stderr).toMatch(/^inactive: calls of marker run without .*\.toml:1\)$/m);
    expect(stderr).toContain('toolwharf policy accept');
  });

  test('control: runs it without a PIN, and where the operator accepted the same content', async () => {
    for (const state of ['open', 'accepted']) {
      const { code, stderr } = await run([...callArgs, ...args], state, env, cwd);
      expect([code, existsSync(mark), stderr], state).toEqual([0, true, '']);
      rmSync(mark);
      const entry = await run(['audit', 'tail', '--json', '-n', '2'], state);
      expect(entry.stdout, state).toMatch(/"waivedBy":\[\{.*"rule":"marker \(.*\.toml:1\)".*\}\]/);
    }
  });
});

test('a rule in a project file and rules in variables do not run the call', async () => {
  const project = await run(callArgs, 'guarded', {}, at('project'));
  expect([project.code, existsSync(mark)]).toEqual([3, false]);
  const variables = {
    TOOLWHARF_CONFIG: at('rule.toml'),
    TOOLWHARF_RULES: rule,
    TOOLWHARF_ALLOW: 'write:/',
    TOOLWHARF_APPROVAL: 'allow',
    TOOLWHARF_UNSAFE_NO_SANDBOX: '1',
  };
  expect([(await run(callArgs, 'guarded', variables)).code, existsSync(mark)]).toEqual([5, false]);
});

/** Runs an MCP client that calls the tool once through the shim. */
function throughShim(state: string, args: readonly string[]): Promise<{ out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [main, 'mcp', at('tools'), '--root', root, ...args, '--state', at(state)],
      { env: { ...process.env, ...clean, TOOLWHARF_IDLE: '1s' }, cwd: at('empty') },
    );
    let [out, err] = ['', ''];
    child.once('error', reject);
    child.once('close', () => resolve({ out, err }));
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (/"id":2/.test(out)) child.stdin.end();
    });
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const call = { name: 'marker', arguments: { text: root } };
    for (const message of [
      { id: 1, method: 'initialize', params },
      { id: 2, method: 'tools/call', params: call },
    ])
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  });
}

test('the shim of an MCP client does not bring a rule into the host, and says so on standard error', async () => {
  const shim = await throughShim('guarded', ['--config', at('rule.toml')]);
  expect(existsSync(mark)).toBe(false);
  expect(shim.err).toContain('inactive: calls of marker run without');
  const control = await throughShim('accepted', ['--config', at('rule.toml')]);
  expect([control.err, existsSync(mark)]).toEqual(['', true]);
});

test('a grant and a run without a sandbox need the PIN too', async () => {
  const granted = await run([...callArgs, '--allow', `write:${at('empty')}`], 'accepted');
  expect(granted.stderr).toContain(`inactive: the grant write:${at('empty')}`);
  const args = [...callArgs, '--config', at('rule.toml'), '--unsafe-no-sandbox'];
  const unsafe = await run(args, 'accepted');
  expect([unsafe.code, existsSync(mark)]).toEqual([5, false]);
  expect(unsafe.stderr).toContain('PIN');
});

test('list, doctor and policy explain name the rule without effect, and the command that accepts it', async () => {
  const config = ['--config', at('rule.toml')];
  const list = await run(['list', at('tools'), ...config], 'guarded');
  expect(list.stdout).toMatch(/inactive: calls of marker .*rule\.toml:1\)\n.*toolwharf policy accept/);
  const attention = await run(['list', '--attention', at('tools'), ...config], 'guarded');
  expect(attention.stdout).toContain('inactive-setting');
  const explained = await run(['policy', 'explain', 'marker', '--dir', at('tools'), ...config], 'guarded');
  expect(explained.stdout).toMatch(/would be held for approval[\s\S]*inactive +calls of marker/);
  const doctor = await run(['doctor', '--json', ...config], 'guarded');
  const checks = JSON.parse(doctor.stdout).checks as { id: string; status: string; fix: string }[];
  expect(checks.filter((it) => it.id === 'settings')).toMatchObject([
    { status: 'warn', fix: 'toolwharf policy accept' },
  ]);
  const control = JSON.parse((await run(['doctor', '--json', ...config], 'accepted')).stdout);
  expect(control.checks.find((it: { id: string }) => it.id === 'settings')).toMatchObject({ status: 'ok' });
});

test('accepting asks a person and then for the PIN; without them nothing is accepted', async () => {
  const accept = ['policy', 'accept', '--config', at('rule.toml')];
  for (const args of [accept, [...accept, '--yes'], [...accept, '--json', '--pin-file', at('pin.txt')]])
    expect((await run(args, 'guarded')).code).not.toBe(0);
  expect(JSON.parse((await run(['policy', 'list', '--json'], 'guarded')).stdout).accepted).toEqual([]);
  const state = 'asked';
  await run(['pin', 'set', '--pin-file', at('pin.txt')], state);
  const shown = await atTerminal([...accept, '--state', at(state)], {
    after: 'Accept this setting?',
    type: 'y\n',
    later: [{ after: 'PIN (not shown)', type: `${pin}\n` }],
  });
  expect(shown).toContain('override_manifest = true');
  expect(shown).toContain('in force now');
  const listed = JSON.parse((await run(['policy', 'list', '--json'], state)).stdout);
  expect(listed.accepted).toMatchObject([{ kind: 'rule', verified: true }]);
  const revoked = await run(['policy', 'revoke', listed.accepted[0].id.slice(0, 12)], state);
  expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringContaining('no longer accepted')]);
});

test('setting the first PIN names the settings that have no effect from then on', async () => {
  const env = { XDG_CONFIG_HOME: at('xdg') };
  const { code, stderr } = await run(['pin', 'set', '--pin-file', at('pin.txt')], 'fresh', env);
  expect([code, stderr]).toEqual([0, expect.stringContaining('inactive: calls of marker')]);
});
