// Every command with --json: it prints exactly one document, which its published schema describes.
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { commands } from '../../../../src/serve/cli/command/commands.js';
import { documentNames } from '../../../../src/serve/documents/documents.js';
import { documentIn, schemaProblems } from '../../../support/json-documents.js';
import { findagentTool, patchTool, temporaryFolder, toolwharf } from '../../../support/toolwharf.js';

/** Documents of rare events, and the tests that cause these events and validate them. */
const elsewhere: Readonly<Record<string, string>> = {
  'acknowledge@1': 'audit.test.ts',
  'doctor@1': 'audit.test.ts',
  'publish@1': '../../registry/two-machines.test.ts',
  'quarantined@1': 'quarantine.test.ts',
  'registry@1': '../../registry/two-machines.test.ts',
  'registry-package@1': '../../registry/two-machines.test.ts',
  'search@1': '../../registry/two-machines.test.ts',
  'sign-out@1': '../../sign-in/sign-in-command.test.ts',
  'store-copy@1': '../../store/store-copy.test.ts',
};

// Each test runs many commands.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;
let host: ChildProcess | undefined;
let stopped: Promise<unknown> | undefined;
/** What the host printed. */
let served = '';
/** A call whose arguments are kept. */
let call = '';
const seen = new Set<string>(Object.keys(elsewhere));
const at = (path: string) => join(folder.path, path);

beforeAll(() => {
  folder = temporaryFolder({
    'tools/word_count.py': patchTool({ name: 'word_count' }),
    'tools/pay.py': patchTool({ name: 'pay', humanConfirm: true }),
    'tools/desk/findagent.json': findagentTool(9),
    'offered/shout.py': patchTool({ name: 'shout' }),
    'broken/broken.py': patchTool({ name: 'broken' }).replace('# description', '# descr'),
    'user.toml': '[audit]\narguments = "encrypted"\n',
    'answer.json': '{"words": 1}',
  });
  mkdirSync(at('home'));
  env = { HOME: at('home'), XDG_CONFIG_HOME: at('home/.config'), TOOLWHARF_HOME: at('state') };
  // One host for all commands, so that each of them only connects to it.
  return new Promise<void>((resolve) => {
    stopped = toolwharf(['serve', 'tools', '--json', '--port', '0'], {
      cwd: folder.path,
      env,
      open: true,
      during: (child) => {
        host = child;
        child.stdout?.on('data', (chunk) => {
          served += chunk;
          if (served.includes('\n')) resolve();
        });
        child.once('close', () => resolve());
      },
    });
  });
});
afterAll(async () => {
  host?.kill('SIGTERM');
  await stopped;
  folder.remove();
});

const run = (args: readonly string[], stdin = '') =>
  toolwharf([...args, '--json'], { cwd: folder.path, stdin, env });

/** Runs a command and returns its document. */
async function document(name: string, args: readonly string[], stdin?: string) {
  const { stdout, stderr } = await run(args, stdin);
  let found: ReturnType<typeof documentIn>;
  try {
    found = documentIn(stdout);
  } catch (error) {
    throw new Error(`${args.join(' ')}: ${(error as Error).message}\n${stderr}`);
  }
  expect(found.name, `${args.join(' ')}: ${stdout}`).toBe(name);
  seen.add(name);
  return found.value;
}

/** Each line is a document of one of these names. */
async function stream(names: readonly string[], args: readonly string[]) {
  const lines = (await run(args)).stdout.trimEnd().split('\n');
  for (const line of lines) {
    const fits = names.filter((it) => schemaProblems(it, JSON.parse(line)).length === 0);
    expect(fits.length, `${args.join(' ')}: ${line}`).toBeGreaterThan(0);
    for (const it of fits) seen.add(it);
  }
}

test('about manifests and this installation', async () => {
  await document('validate@1', ['validate', 'tools', 'broken']);
  await document('init@1', ['init', 'patch', 'made']);
  await document('schema@1', ['schema', 'patch']);
  await document('schema@1', ['schema', 'list']);
  await document('schemas@1', ['schema']);
  await document('explain@1', ['explain', 'schema.required']);
  await document('explain@1', ['explain', 'timeout']);
  await document('codes@1', ['explain']);
  await document('completion@1', ['completion', 'bash']);
  await document('help@1', ['help']);
  await document('help@1', ['help', 'exit-codes']);
  await document('help@1', ['list', '--help']);
  await document('version@1', ['--version']);
  await document('export@1', ['export', 'tools/desk', '--target', 'claude-code', '--out', 'exported']);
  await document('config@1', ['config', 'list']);
  await document('config-change@1', ['config', 'set', 'limits.seconds', '30']);
  await document('config-change@1', ['config', 'unset', 'limits.seconds']);
});

test('about packages and calls', async () => {
  await document('needs-review@1', ['review']);
  await document('review@1', ['review', 'word_count', '--dir', 'tools', '--yes']);
  await document('list@1', ['list']);
  await document('attention@1', ['list', '--attention']);
  await document('contribute@1', ['contribute', 'tools/word_count.py', '--dry-run']);
  await document('contribute@1', ['contribute', 'tools', '--dry-run']);
  await document('contribute@1', ['contribute', 'broken', '--dry-run']);
  await document('registry-review@1', ['registry', 'review', 'list']);
  await document('info@1', ['info', 'tools/word_count.py']);
  await document('info@1', ['info', 'tools']);
  await document('info@1', ['info', 'broken']);
  const answer = await document('call@1', [
    'call',
    'tools/word_count.py',
    '{"text":"a"}',
    '--config',
    'user.toml',
  ]);
  call = answer.callId as string;
  await document('call@1', ['call', 'tools/word_count.py', '{"text":5}']);
  await document('test@1', ['test', join(import.meta.dirname, '../../../../examples/toolspace/json-diff')]);
  await stream(['dev-event@1', 'dev@1', 'call@1'], ['dev', 'broken']);
  await document('policy@1', ['call', 'tools/word_count.py', '{"text":"a"}', '--dry-run']);
  await document('policy@1', ['policy', 'explain', 'pay/pay', '{"text":"a"}', '--result', at('answer.json')]);
  await document('switch@1', ['disable', 'word_count']);
  await document('switch@1', ['enable', 'word_count']);
  await document('connect@1', ['connect', 'cursor', 'tools', '--print']);
  await document('connect@1', ['connect', 'chatgpt']);
});

test('about installed packages', async () => {
  await document('plan@1', ['plan', 'offered/shout.py']);
  await document('plan@1', ['install', 'offered/shout.py', '--dry-run']);
  await document('plan@1', ['add', 'tracker', '--url', 'https://mcp.example.com/mcp', '--dry-run']);
  writeFileSync(at('servers.json'), '{"servers":{"tracker":{"url":"https://mcp.example.com/mcp"}}}');
  await document('import@1', ['import', 'servers.json', '--dry-run']);
  await document('change@1', ['install', 'offered/shout.py', '--yes']);
  await document('verify@1', ['verify', 'shout']);
  await document('outdated@1', ['outdated']);
  await document('change@1', ['update', 'shout', '--yes']);
  await document('change@1', ['update', 'shout', '--yes', '--allow', 'net:api.example.com']);
  await document('history@1', ['history', 'shout']);
  await document('list@1', ['list']);
  await document('info@1', ['info', 'shout']);
  await document('requests@1', ['requests', 'list']);
  await document('sessions@1', ['session', 'list']);
  await document('endorsements@1', ['session', 'endorsements']);
  await document('learn@1', ['learn', 'shout']);
  await document('narrowing@1', ['learn', 'shout', '--undo']);
  await document('change@1', ['rollback', 'shout']);
  await document('gc@1', ['gc']);
  await document('change@1', ['revoke', 'shout', '--yes']);
  await document('change@1', ['install', 'offered/shout.py', '--save', '--yes']);
  await document('lock-plan@1', ['plan']);
  await document('lock-plan@1', ['install', '--locked', '--dry-run']);
  await document('restore@1', ['install']);
  await document('why@1', ['why', 'shout']);
  await document('why@1', ['why', 'word_count', '--dir', 'tools']);
  await document('change@1', ['remove', 'shout', '--yes']);
  await document('error@1', ['history', 'shout']);
});

test('about decisions of the operator', async () => {
  const held = await document('call@1', ['call', 'tools/pay.py', '{"text":"a"}']);
  const { token } = held.confirmation as { token: string };
  await document('approvals@1', ['approvals']);
  await document('dry-run@1', ['approvals', 'approve', token, '--dry-run']);
  await document('approvals@1', ['approvals', 'approve', token]);
  const added = await document('rules@1', ['approvals', 'allow', 'word_count/word_count', '--any', 'text']);
  const [rule] = added.rules as { id: string }[];
  await document('rules@1', ['approvals', 'rules']);
  await document('rules@1', ['approvals', 'revoke', rule?.id ?? '']);
  await document('notice-key@1', ['approvals', 'key']);
  await document('waivers@1', ['policy', 'list']);
  await document('waivers@1', ['policy', 'accept', '--allow', 'net:127.0.0.1:8080', '--yes']);
  await document('kill@1', ['kill', 'word_count']);
  await document('kills@1', ['kill']);
  await document('kill@1', ['kill', '--lift', 'word_count']);
  await document('quarantine@1', ['quarantine']);
  await document('sign-ins@1', ['sign-in']);
  await document('token@1', ['token', 'create', 'laptop']);
  await document('tokens@1', ['token', 'list']);
  await document('tokens@1', ['token', 'revoke', 'laptop']);
  await document('set@1', ['set', 'save', 'counting', '--only', 'word_count']);
  await document('set@1', ['set', 'list', 'counting']);
  await document('sets@1', ['set', 'load', 'counting', '--here']);
  await document('list@1', ['list', 'tools', '--set', 'counting']);
  await document('sets@1', ['set', 'load', '--none', '--here']);
  await document('dry-run@1', ['set', 'remove', 'counting', '--dry-run']);
  await document('sets@1', ['set', 'remove', 'counting']);
  await document('secrets@1', ['secret', 'set', 'other', 'KEY'], 'a-value');
  await document('secrets@1', ['secret', 'list']);
  await document('pin@1', ['pin', 'status']);
  await document('pin@1', ['pin', 'set'], '493817\n');
});

test('about the audit log', async () => {
  await stream(['audit-entry@1'], ['audit', 'tail']);
  await stream(['audit-export@1'], ['audit', 'export']);
  await document('audit@1', ['audit', 'verify']);
  await document('audit-checkpoint@1', ['audit', 'checkpoint']);
  await document('audit-proof@1', ['audit', 'prove', '1']);
  writeFileSync(at('pin.txt'), '493817\n');
  await document('audit-call@1', ['audit', 'show', call, '--open', '--pin-file', 'pin.txt']);
  await document('audit-forget@1', ['audit', 'forget', '--before', '2026-01-01', '--pin-file', 'pin.txt']);
  const rekey = ['secret', 'rekey', '--to', 'passphrase', '--pin-file', 'pin.txt'];
  await document('rekey@1', rekey, 'correct horse');
});

test('a link to the console', () => document('open@1', ['open']));

test('the lines of serve', () => {
  const [first, ...events] = served.trimEnd().split('\n');
  expect(schemaProblems('serve@1', JSON.parse(first as string))).toEqual([]);
  expect(events.length).toBeGreaterThan(0);
  for (const it of events) expect(schemaProblems('serve-event@1', JSON.parse(it))).toEqual([]);
  for (const it of ['serve@1', 'serve-event@1']) seen.add(it);
});

describe('an error', () => {
  test.each([
    ['of the arguments', ['list', '--nothing']],
    ['without a command', []],
    ['of an unknown command', ['lits']],
    ['of a command that has no document', ['mcp']],
    ['in the middle of a command', ['info', 'nothing-here']],
  ])('%s is a document too', async (_, args) => {
    const value = await document('error@1', args);
    expect(value.error).toMatchObject({ docs: expect.stringMatching(/^docs\/errors\.md#\w+$/) });
  });
});

test('every command names its documents, and each of them was validated here', () => {
  const named = commands.flatMap((it) => ('none' in it.json ? [] : it.json));
  for (const it of commands) if (!('none' in it.json)) expect(it.json.length, it.name).toBeGreaterThan(0);
  expect(named.filter((it) => !seen.has(it))).toEqual([]);
  const common = ['error@1', 'help@1', 'version@1'];
  expect(documentNames.filter((it) => !named.includes(it) && !common.includes(it))).toEqual([]);
  for (const [name, file] of Object.entries(elsewhere))
    expect(readFileSync(join(import.meta.dirname, file), 'utf8'), name).toContain('documentIn(');
});
