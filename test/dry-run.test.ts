// --dry-run on every command that changes something: it says what would be done, and nothing is.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseArguments } from '../src/serve/cli/arguments.js';
import { commands } from '../src/serve/cli/commands.js';
import { testTerminal } from './terminal.js';
import { patchTool } from './toolwharf.js';
import { talos, type Workbench, workbench } from './workbench.js';

let bench: Workbench;
let held: string;
let rule: string;

beforeAll(async () => {
  bench = await workbench({
    'count.py': patchTool({ name: 'count' }),
    'send.py': patchTool({ name: 'send', humanConfirm: true, body: '    return {"sent": text}' }),
    ...talos({
      id: 'door',
      code: 'export const handlers = { look() { return "ok"; } };\n',
      functions: ['look'],
      rest: { credentials: [{ name: 'door_key', label: 'Door key', required: true }] },
    }),
  });
  const { host } = bench;
  const session = await bench.session();
  const waiting = await session.call({ tool: 'send/send', arguments: { text: 'x' } });
  if (waiting.status !== 'confirmation_required') throw new Error('it was not held');
  held = waiting.confirmation.token;
  const conditions = [{ argument: 'text', condition: { test: 'any' } as const }];
  const target = { package: 'send', tool: 'send/send', principal: 'nobody', conditions };
  const definition = (await host.approvals.get(held)).definition;
  rule = (
    await host.approvals.rules.add({ ...target, definition, destructive: false, expiresAt: null }, 'test')
  ).id;
  const audience = { kind: 'manifest' } as const;
  await host.secrets.set({ package: 'door', slot: 'door_key', value: 'planted', audience, by: 'test' });
  await host.tokens.create({ name: 'laptop', role: 'agent', expiresAt: null, by: 'test' });
  await host.switches.set('off', false, 'test');
  await host.kills.set('stopped', 'test');
  mkdirSync(join(bench.path, 'state'), { recursive: true });
});
afterAll(() => bench.close());

/** Everything that a command could have changed, the record included. */
async function everything(): Promise<string> {
  const { host } = bench;
  return JSON.stringify([
    await host.approvals.list(['proposed', 'approved', 'denied', 'void', 'executed']),
    await host.approvals.rules.list(),
    await host.secrets.list(),
    await host.tokens.list(),
    await host.switches.disabled(),
    await host.kills.list(),
    await host.operator.pin(),
    await host.auditTail(10_000),
  ]);
}

async function run(words: readonly string[]) {
  const [name, ...rest] = words;
  const command = await (commands.find((it) => it.name === name) as (typeof commands)[number]).load();
  const host = { ...bench.host, close: async () => {} };
  const terminal = testTerminal({ cwd: bench.root, host, answer: true });
  const code = await command.run(
    parseArguments(command, [...rest, '--state', join(bench.path, 'state')]),
    terminal,
  );
  return { code, ...terminal.printed };
}

/** With HELD and RULE for ids. */
const acts: readonly [words: string, said: string][] = [
  ['secret set door door_key --any-host', 'would set door_key of door; unbound'],
  ['secret unset door door_key', 'would forget door_key of door'],
  ['secret rekey --to file', 'would let the file keep'],
  ['token create phone', 'would make a token phone for an agent'],
  ['token revoke laptop', 'would revoke laptop (tok_'],
  ['enable off', 'would switch off on'],
  ['enable door', 'would do nothing'],
  ['disable door', 'would switch door off'],
  ['disable off', 'would do nothing'],
  ['kill door', 'would stop door'],
  ['kill stopped --lift', 'would let stopped run again'],
  ['kill --lift', 'would let stopped run again'],
  ['approvals approve HELD', 'would approve apr_'],
  ['approvals deny HELD', 'would deny apr_'],
  ['approvals revoke RULE', 'would revoke rule_'],
  ['approvals allow send/send --any text --dir DIR', 'would let such calls of send/send'],
  ['pin set', 'would set the PIN'],
  ['audit forget --before 2030-01-01', 'would erase the kept arguments'],
  ['call send/send {"text":"new"} --dir DIR', 'send/send'],
  ['review door --dir DIR', 'door'],
  ['install count --dir DIR', 'count needs nothing'],
];

const filled = (words: string) =>
  words
    .replace('HELD', held)
    .replace('RULE', rule)
    .split(' ')
    .map((it) => (it === 'DIR' ? bench.packages : it));

describe('--dry-run', () => {
  test.each(acts)('%s', async (words, said) => {
    const before = await everything();
    const { code, out } = await run([...filled(words), '--dry-run']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(said) });
    expect(await everything()).toBe(before);
  });

  test('install names what it would fetch, and fetches nothing', async () => {
    const example = join(import.meta.dirname, '..', 'examples', 'patch', 'yaml_to_json.py');
    const { out } = await run(['install', example, '--dry-run']);
    expect(out).toBe('would fetch for yaml_to_json\n  Python packages\n');
    expect((await run(['install', example, '--dry-run'])).out).toBe(out);
  });

  test.each([
    ['secret set door dor_key', 'usage'],
    ['secret unset door other', 'not_found'],
    ['token create laptop', 'usage'],
    ['token revoke other', 'not_found'],
    ['approvals approve apr_none', 'approval_not_found'],
    ['approvals revoke rule_none', 'not_found'],
    ['audit acknowledge call_none', 'not_found'],
    ['pin remove', 'usage'],
  ])('finds what would fail: %s', async (words, code) => {
    await expect(run([...filled(words), '--dry-run'])).rejects.toMatchObject({ code });
  });

  test('as a document', async () => {
    const { out } = await run(['disable', 'door', '--dry-run', '--json']);
    expect(JSON.parse(out)).toEqual({ schema: 'toolwharf/dry-run@1', would: 'switch door off' });
  });

  test('the control: without it something is done', async () => {
    const before = await everything();
    expect((await run(['disable', 'door'])).out).toContain('door is off');
    expect(await everything()).not.toBe(before);
  });

  test('every command that changes something has it', async () => {
    const looking = ['validate', 'list', 'info', 'policy', 'doctor', 'config', 'schema', 'explain'];
    const serving = ['serve', 'mcp', 'host'];
    const without: string[] = [];
    for (const it of commands) {
      const { options } = await it.load();
      if (!options.some((option) => option.name === 'dry-run')) without.push(it.name);
    }
    expect(without.sort()).toEqual([...looking, ...serving].sort());
  });
});

describe('--yes', () => {
  test('approves no held call, and says so', async () => {
    const done = await run([...filled('call send/send {"text":"y"} --dir DIR'), '--yes']);
    expect(done).toMatchObject({ code: 5, err: expect.stringContaining('--yes approves nothing') });
    expect(done.err).not.toContain('Run it once?');
    // The control: without it the person is asked, and says yes.
    const asked = await run(filled('call send/send {"text":"z"} --dir DIR'));
    expect(asked).toMatchObject({ code: 0, err: expect.stringContaining('Run it once?') });
  });
});
