// --dry-run of every command that changes something: it prints what would happen, and changes nothing.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInFormats } from '../../../../src/formats/built-in-formats.js';
import { parseArguments } from '../../../../src/serve/cli/command/arguments.js';
import { commands } from '../../../../src/serve/cli/command/commands.js';
import { testTerminal } from '../../../support/terminal.js';
import { patchTool } from '../../../support/toolwharf.js';
import { talos, type Workbench, workbench } from '../../../support/workbench.js';

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
  if (waiting.status !== 'confirmation_required') throw new Error('the call was not held');
  held = waiting.confirmation.token;
  const conditions = [{ argument: 'text', condition: { test: 'any' } as const }];
  const target = { tool: 'send/send', principal: 'nobody', conditions };
  const definition = (await host.approvals.get(held)).definition;
  rule = (
    await host.approvals.rules.add({ ...target, definition, destructive: false, expiresAt: null }, 'test')
  ).id;
  const audience = { kind: 'manifest' } as const;
  await host.secrets.set({ package: 'door', slot: 'door_key', value: 'planted', audience, by: 'test' });
  await host.tokens.create({ name: 'laptop', role: 'agent', expiresAt: null, by: 'test' });
  await host.sets.save({ name: 'used', tools: {} }, 'test');
  await host.sets.save({ name: 'unused', tools: {} }, 'test');
  await host.sets.bind({ kind: 'token', name: 'laptop', set: 'used', by: 'test' });
  await host.switches.set('off', false, 'test');
  await host.kills.set('stopped', 'test', true);
  mkdirSync(join(bench.path, 'state'), { recursive: true });
});
afterAll(() => bench.close());

/** Everything that a command could change, with the audit log. */
async function everything(): Promise<string> {
  const { host } = bench;
  return JSON.stringify([
    await host.approvals.list(['proposed', 'approved', 'denied', 'void', 'executed']),
    await host.approvals.rules.list(),
    await host.secrets.list(),
    await host.tokens.list(),
    await host.sets.list(),
    await host.switches.disabled(),
    await host.kills.list(),
    await host.operator.pin(),
    await host.auditTail(10_000),
  ]);
}

async function run(args: readonly string[]) {
  const [name, ...rest] = args;
  const command = await (commands.find((it) => it.name === name) as (typeof commands)[number]).load(
    async () => builtInFormats,
  );
  const host = { ...bench.host, close: async () => {} };
  const terminal = testTerminal({ cwd: bench.root, host, answer: true });
  const code = await command.run(
    parseArguments(command, [...rest, '--state', join(bench.path, 'state')]),
    terminal,
  );
  return { code, ...terminal.printed };
}

/** HELD, RULE and DIR stand for the real values. */
const dryRuns: readonly [args: string, output: string][] = [
  ['secret set door door_key --any-host', 'would set door_key of door; may be sent to any host'],
  ['secret unset door door_key', 'would delete door_key of door'],
  ['secret rekey --to file', 'would move the encryption key of all secrets to: file'],
  ['token create phone', 'would create a token phone for an agent'],
  ['token revoke laptop', 'would revoke laptop (tok_'],
  ['set save few --hide send/send', 'would save the set few: 1 hidden'],
  ['set save used --only send', 'would change the set used: only send'],
  ['set load unused', 'would use the set unused for sessions without a set of their own'],
  ['set load --none', 'would use no set for sessions without a set of their own'],
  ['set bind unused --token laptop', 'would use the set unused for token laptop'],
  ['set unbind --token laptop', 'would use no set for token laptop'],
  ['set remove unused', 'would remove the set unused'],
  ['enable off', 'would enable off'],
  ['enable door', 'would do nothing'],
  ['disable door', 'would disable door'],
  ['disable off', 'would do nothing'],
  ['kill door', 'would stop door'],
  ['kill other --force', 'would stop other'],
  ['policy accept --allow net:127.0.0.1:9', 'nothing to accept: no PIN is set'],
  ['kill stopped --lift', 'would allow calls of stopped again'],
  ['kill --lift', 'would allow calls of stopped again'],
  ['approvals approve HELD', 'would approve apr_'],
  ['approvals deny HELD', 'would deny apr_'],
  ['approvals revoke RULE', 'would revoke rule_'],
  ['approvals allow send/send --any text --dir DIR', 'would add a standing rule: such calls of send/send'],
  ['pin set', 'would set the PIN'],
  ['audit forget --before 2030-01-01', 'would erase the stored arguments'],
  ['call send/send {"text":"new"} --dir DIR', 'send/send'],
  ['review door --dir DIR', 'door'],
  ['install count --dir DIR', 'install it for the first time'],
];

const filled = (args: string) =>
  args
    .replace('HELD', held)
    .replace('RULE', rule)
    .split(' ')
    .map((it) => (it === 'DIR' ? bench.packages : it));

describe('--dry-run', () => {
  test.each(dryRuns)('"%s" prints what it would do and changes nothing', async (args, output) => {
    const before = await everything();
    const { code, out } = await run([...filled(args), '--dry-run']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(output) });
    expect(await everything()).toBe(before);
  });

  test('install prints what it would fetch, and fetches nothing', async () => {
    const example = join(import.meta.dirname, '../../../../examples/patch/yaml_to_json.py');
    const { out } = await run(['install', example, '--dry-run']);
    expect(out).toMatch(/^Fetches +PyYAML==/m);
    expect((await run(['install', example, '--dry-run'])).out).toBe(out);
  });

  test.each([
    ['secret set door dor_key', 'usage'],
    ['secret unset door other', 'not_found'],
    ['token create laptop', 'usage'],
    ['token revoke other', 'not_found'],
    ['set save used', 'usage'],
    ['set save few --fix send/send:text=1', 'invalid_input'],
    ['set bind unused --token other', 'not_found'],
    ['set load other', 'not_found'],
    ['set remove used', 'denied'],
    ['approvals approve apr_none', 'approval_not_found'],
    ['approvals revoke rule_none', 'not_found'],
    ['audit acknowledge call_none', 'not_found'],
    ['pin remove', 'usage'],
    ['kill dor', 'not_found'],
    ['policy revoke 0123456789ab', 'not_found'],
  ])('"%s" fails as it would without --dry-run', async (args, code) => {
    await expect(run([...filled(args), '--dry-run'])).rejects.toMatchObject({ code });
  });

  test('--json prints one document', async () => {
    const { out } = await run(['disable', 'door', '--dry-run', '--json']);
    expect(JSON.parse(out)).toEqual({ schema: 'toolwharf/dry-run@1', would: 'disable door' });
  });

  test('without --dry-run the command changes something (control)', async () => {
    const before = await everything();
    expect((await run(['disable', 'door'])).out).toContain('door is disabled');
    expect(await everything()).not.toBe(before);
  });

  test('every command that changes something has the option', async () => {
    const reading = [
      ...['validate', 'list', 'info', 'doctor', 'schema', 'explain', 'completion', 'complete'],
      ...['plan', 'outdated', 'why', 'history', 'search'],
    ];
    const running = ['serve', 'mcp', 'host', 'dev', 'test', 'verify', 'open'];
    const without: string[] = [];
    for (const it of commands) {
      const { options } = await it.load(async () => builtInFormats);
      if (!options.some((option) => option.name === 'dry-run')) without.push(it.name);
    }
    expect(without.sort()).toEqual([...reading, ...running].sort());
  });
});

describe('--yes', () => {
  test('--yes does not approve a held call, and the message explains it', async () => {
    const done = await run([...filled('call send/send {"text":"y"} --dir DIR'), '--yes']);
    expect(done).toMatchObject({ code: 5, err: expect.stringContaining('--yes never approves a call') });
    expect(done.err).not.toContain('Run it once?');
    // Control: without --yes the person is asked, and approves.
    const asked = await run(filled('call send/send {"text":"z"} --dir DIR'));
    expect(asked).toMatchObject({ code: 0, err: expect.stringContaining('Run it once?') });
  });
});
