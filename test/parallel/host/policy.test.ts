// The operator's rules, denials and roots through a real host, and how `explain` reports them without a call.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Rule, SessionPolicy } from '../../../src/index.js';
import { loopbackServer, temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import {
  failureOf,
  findagent,
  inputOf,
  pythonTool,
  resultOf,
  talos,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const text = { type: 'string', default: '' };
const prompt = (name: string, annotations = {}) => ({
  name,
  description: 'Write a line.',
  annotations,
  input_schema: inputOf({ text, amount: { type: 'number', default: 1 } }),
  action: { type: 'prompt-template', template: 'wrote {text}' },
});

let bench: Workbench;
let clock = Date.parse('2026-01-01T00:00:00Z');

beforeEach(async () => {
  bench = await workbench(
    {
      'desk/findagent.json': findagent('Desk', {
        tools: [prompt('write'), prompt('asked'), prompt('capped')],
        guardrails: {
          actions: { asked: { approval: 'human' }, capped: { max_amount: 10, rate_limit: '5/minute' } },
        },
      }),
      'look.py': pythonTool({
        name: 'look',
        filesystem: 'read-write',
        body: [
          'def can(work):',
          '    try:',
          '        work()',
          '        return True',
          '    except OSError:',
          '        return False',
          'return {',
          '    "reads": can(lambda: open("closed/secret.txt").read()),',
          '    "writes": can(lambda: open("fixed/new.txt", "w").write("x")),',
          '    "elsewhere": can(lambda: open("free.txt", "w").write("x")),',
          '}',
        ],
      }),
      ...talos({ id: 'quiet', code: 'export function go() { return 1; }', functions: ['go'] }),
    },
    { now: () => clock, ticks: () => 0, statesEffects: false },
  );
  for (const it of ['closed', 'fixed']) {
    mkdirSync(join(bench.root, it));
    chmodSync(join(bench.root, it), 0o777);
  }
  writeFileSync(join(bench.root, 'closed', 'secret.txt'), 'words');
});

afterEach(async () => {
  expect(bench.bugs).toEqual([]);
  await bench.close();
});

const rule = (it: Omit<Rule, 'origin' | 'tool'> & { tool?: string }): SessionPolicy => ({
  rules: [{ tool: '*', ...it, origin: { kind: 'user', file: '/home/config.toml', line: 7 } }],
});
const withPolicy = (policy: SessionPolicy) => bench.session({ policy });
const write = { tool: 'desk/write', arguments: { text: 'a' } };

describe('a rule', () => {
  test('denies or asks, and the message says where the rule is written', async () => {
    const denied = await failureOf(
      (await withPolicy(rule({ approval: 'deny', reason: 'not today' }))).call(write),
    );
    expect(denied).toMatchObject({ status: 'denied', code: 'denied' });
    expect(denied.message).toBe('a rule for * (/home/config.toml:7) denies this call: not today');
    const held = await (await withPolicy(rule({ tool: 'desk/*', approval: 'ask' }))).call(write);
    expect(held).toMatchObject({ status: 'confirmation_required', confirmation: { kind: 'approval' } });
    await resultOf((await withPolicy(rule({ tool: 'other', approval: 'deny' }))).call(write));
    await resultOf((await withPolicy(rule({ effects: ['destructive'], approval: 'deny' }))).call(write));
  });

  test('asks above an amount', async () => {
    const session = await withPolicy(rule({ askAbove: 50 }));
    await resultOf(session.call({ tool: 'desk/write', arguments: { amount: 50 } }));
    expect(await session.call({ tool: 'desk/write', arguments: { amount: 50.5 } })).toMatchObject({
      confirmation: { kind: 'spend' },
    });
  });

  test('limits the sum per time window exactly, even for many concurrent calls', async () => {
    const session = await withPolicy(rule({ spend: { amount: 100, per: 'day' } }));
    const pay = (amount: number) => session.call({ tool: 'desk/write', arguments: { amount } });
    const answers = await Promise.all(Array.from({ length: 30 }, () => pay(9)));
    expect(answers.filter((it) => it.status === 'ok')).toHaveLength(11);
    const denied = await failureOf(pay(2));
    expect(denied).toMatchObject({ code: 'spend_limit' });
    expect(denied.message).toContain('may spend 100 a day (/home/config.toml:7): 1 is left');
    await resultOf(pay(1));
    clock += 86_400_000 + 86_400_000 / 1024;
    await resultOf(pay(100));
    expect((await failureOf(pay(101))).hint).toBe(
      'use a smaller amount, or ask the operator for a higher limit',
    );
  });

  test('applies together with the manifest: the stricter of both counts', async () => {
    const loose = await withPolicy(rule({ maxAmount: 1000, rateLimit: { count: 100, per: 'minute' } }));
    expect((await failureOf(loose.call({ tool: 'desk/capped', arguments: { amount: 11 } }))).code).toBe(
      'spend_limit',
    );
    const strict = await withPolicy(rule({ maxAmount: 5, rateLimit: { count: 2, per: 'minute' } }));
    expect((await failureOf(strict.call({ tool: 'desk/capped', arguments: { amount: 6 } }))).code).toBe(
      'spend_limit',
    );
    const call = { tool: 'desk/capped', arguments: {} };
    for (const it of [strict, loose]) await resultOf(it.call(call));
    expect((await failureOf(strict.call(call))).code).toBe('rate_limited');
    for (let count = 0; count < 3; count++) await resultOf(loose.call(call));
    expect((await failureOf(loose.call(call))).code).toBe('rate_limited');
  });

  test('denies, redacts and validates like a guardrail of a manifest', async () => {
    const long = await failureOf((await withPolicy(rule({ maxLength: 10 }))).call(write));
    expect(long.message).toContain('the operator (/home/config.toml:7)');
    const pattern = await failureOf((await withPolicy(rule({ denyPatterns: ['^A$'] }))).call(write));
    expect(pattern.code).toBe('guardrail');
    const redacting = await withPolicy(rule({ redact: ['email'] }));
    expect(
      await resultOf(redacting.call({ tool: 'desk/write', arguments: { text: 'me@example.com' } })),
    ).toBe('wrote [redacted:email]');
    const checking = await withPolicy(rule({ outputSchema: { type: 'object' } }));
    expect((await failureOf(checking.call(write))).code).toBe('invalid_output');
  });

  test('sets the effect of a tool whose manifest does not declare one', async () => {
    const effect = async (policy: SessionPolicy) =>
      (await (await withPolicy(policy)).tools()).find((it) => it.name === 'quiet/go')?.tool.effect;
    expect(await effect({})).toBe('write');
    expect(await effect(rule({ tool: 'quiet', undeclaredEffect: 'read' }))).toBe('read');
    const grave = await withPolicy(rule({ tool: 'quiet', undeclaredEffect: 'destructive' }));
    expect((await grave.call({ tool: 'quiet/go', arguments: {} })).status).toBe('confirmation_required');
  });

  test('that changes voids an approved call', async () => {
    const first = await withPolicy({});
    const call = { tool: 'desk/asked', arguments: {} };
    const held = await first.call(call);
    if (held.status !== 'confirmation_required') throw new Error(held.status);
    await bench.host.approvals.approve(held.confirmation.token, 'person');
    const other = await withPolicy(rule({ maxLength: 1000 }));
    expect((await other.call(call)).status).toBe('confirmation_required');
    expect(
      await failureOf(
        other.call({ tool: 'patch_confirm_action', arguments: { token: held.confirmation.token } }),
      ),
    ).toMatchObject({ code: 'approval_expired' });
    expect(await bench.host.approvals.get(held.confirmation.token)).toMatchObject({
      state: 'void',
      voidReason: 'the policy was changed',
    });
    expect((await first.call(call)).status).toBe('confirmation_required');
  });

  test.each<[string, unknown]>([
    ['an unknown window', { rateLimit: { count: 1, per: 'year' } }],
    ['a value that is not a number', { maxAmount: 'much' }],
    ['a negative cap', { spend: { amount: -1, per: 'day' } }],
    ['an unknown category', { redact: ['shoe_size'] }],
    ['an unknown approval', { approval: 'perhaps' }],
    ['an unknown effect', { effects: ['loud'] }],
    ['a string instead of a list', { denyPatterns: 'x' }],
  ])('with %s is rejected when the session opens', async (_, wrong) => {
    await expect(withPolicy(rule(wrong as Omit<Rule, 'origin' | 'tool'>))).rejects.toMatchObject({
      code: 'invalid_config',
    });
  });

  test('of a project that allows calls is rejected when the session opens', async () => {
    const origin = { kind: 'project', file: 'toolwharf.toml', line: 1 } as const;
    await expect(withPolicy({ rules: [{ tool: '*', approval: 'allow', origin }] })).rejects.toMatchObject({
      code: 'invalid_config',
    });
  });
});

describe('denials', () => {
  const look = { tool: 'look', arguments: {} };

  test('of files: unreadable or read-only where denied, unchanged elsewhere', async () => {
    expect(await resultOf((await withPolicy({})).call(look))).toEqual({
      reads: true,
      writes: true,
      elsewhere: true,
    });
    const deny = [`read:${join(bench.root, 'closed')}`, `look=write:${join(bench.root, 'fixed')}`];
    expect(await resultOf((await withPolicy({ deny })).call(look))).toEqual({
      reads: false,
      writes: false,
      elsewhere: true,
    });
    expect(await resultOf((await withPolicy({ deny: ['look=write:*'] })).call(look))).toEqual({
      reads: true,
      writes: false,
      elsewhere: false,
    });
    expect(await resultOf((await withPolicy({ deny: ['other=write:*'] })).call(look))).toMatchObject({
      elsewhere: true,
    });
  });

  test('by roots: nothing outside them is mounted', async () => {
    await resultOf((await withPolicy({ roots: [bench.path] })).call(look));
    expect(
      await failureOf((await withPolicy({ roots: [join(bench.path, 'other')] })).call(look)),
    ).toMatchObject({
      code: 'workspace_unusable',
    });
    const granted = await bench.session({ policy: { roots: [bench.root] }, allow: ['look=read:/usr/share'] });
    expect((await failureOf(granted.call(look))).message).toContain(
      '/usr/share is outside the allowed roots',
    );
  });

  test('of hosts: a granted request is not sent', async () => {
    const server = await loopbackServer((_, response) => response.end('{}'));
    bench.write({
      'shop/findagent.json': findagent('Shop', {
        tools: [
          {
            name: 'order',
            description: 'Order something.',
            input_schema: inputOf({}),
            action: { type: 'http', method: 'POST', url: `http://127.0.0.1:${server.port}/orders` },
          },
        ],
      }),
    });
    const allow = [`net:127.0.0.1:${server.port}`];
    const directories = [join(bench.packages, 'shop')];
    const open = (deny: string[]) => bench.session({ allow, directories, policy: { deny } });
    const call = { tool: 'shop/order', arguments: {} };
    try {
      for (const it of ['net:127.0.0.1', 'shop=net:*', `net:127.0.0.1:${server.port}`]) {
        expect((await failureOf((await open([it])).call(call))).code).toBe('network_denied');
        expect(await (await open([it])).explain(call)).toMatchObject({
          verdict: 'deny',
          code: 'network_denied',
        });
      }
      expect(server.requests).toEqual([]);
      for (const it of [['other=net:*'], ['net:127.0.0.1:1'], []])
        await resultOf((await open(it)).call(call));
      expect(server.requests).toHaveLength(3);
    } finally {
      await server.close();
    }
  });

  test('of variables: granted variables are not passed on', async () => {
    const passed = async (deny: string[]) => {
      const environment = { COLOR: 'blue' };
      const session = await bench.session({ allow: ['env:COLOR'], environment, policy: { deny } });
      return (await session.explain({ tool: 'look' })).permissions.granted.environment;
    };
    expect(await passed([])).toEqual(['COLOR']);
    expect(await passed(['other=env:*'])).toEqual(['COLOR']);
    for (const it of ['env:COLOR', 'env:*', 'look=env:*']) expect(await passed([it])).toEqual([]);
  });

  test('that are not valid are rejected when the session opens', async () => {
    for (const deny of [['web:x'], ['net:'], ['read:relative'], ['x=y']])
      await expect(withPolicy({ deny })).rejects.toMatchObject({ code: 'invalid_config' });
  });
});

describe('explain', () => {
  test('reports the verdict, its origin and the remaining limits, and runs and counts nothing', async () => {
    const session = await withPolicy({
      ...rule({ tool: 'desk', rateLimit: { count: 3, per: 'hour' } }),
      trusted: ['desk/*'],
    });
    const file = expect.stringContaining('findagent.json');
    const capped = { tool: 'desk/capped', arguments: { amount: 11 } };
    for (let count = 0; count < 9; count++) await session.explain(write);
    expect(await session.explain(capped)).toMatchObject({
      tool: 'desk/capped',
      verdict: 'limit',
      code: 'spend_limit',
      because: [{ origin: { kind: 'manifest', file } }],
      trusted: true,
      limits: [
        { kind: 'amount', most: 10, origin: { kind: 'manifest' } },
        { kind: 'rate', most: 5, per: 'minute', left: 5 },
        { kind: 'rate', most: 3, per: 'hour', left: 3, origin: { kind: 'user', line: 7 } },
      ],
    });
    for (let count = 0; count < 3; count++) await resultOf(session.call(write));
    expect(await session.explain({ tool: 'desk/write' })).toMatchObject({
      verdict: 'limit',
      code: 'rate_limited',
      because: [{ origin: { kind: 'user', file: '/home/config.toml', line: 7 } }],
      limits: [{ left: 0 }],
    });
    expect(await session.explain({ tool: 'desk/asked' })).toMatchObject({ verdict: 'ask' });
    expect(await session.explain({ tool: 'desk/asked', arguments: { no: 1 } })).toMatchObject({
      verdict: 'invalid',
    });
    expect(await bench.host.approvals.list()).toEqual([]);
  });

  test('agrees with the outcome of the call', async () => {
    for (const policy of [
      {},
      rule({ approval: 'deny' }),
      rule({ approval: 'ask' }),
      rule({ maxLength: 2 }),
      rule({ askAbove: 0 }),
    ]) {
      const session = await withPolicy(policy);
      for (const tool of ['desk/write', 'desk/asked', 'desk/capped']) {
        const call = { tool, arguments: { text: 'x' } };
        const { verdict } = await session.explain(call);
        const { status } = await session.call(call);
        expect(`${tool} ${verdict}`).toBe(
          `${tool} ${{ ok: 'allow', confirmation_required: 'ask', denied: 'deny' }[status as string]}`,
        );
      }
    }
  });
});

describe('configuration files', () => {
  test('policy explain names file and line, also for a project file', async () => {
    const home = temporaryFolder({
      'config.toml': 'deny = ["desk=net:*"]\n\n[[rules]]\ntool = "desk/write"\nspend = "20/day"\n',
      'work/toolwharf.toml': '[[rules]]\ntool = "desk/*"\napproval = "ask"\nreason = "We look first."\n',
    });
    const args = [
      '--dir',
      bench.packages,
      '--config',
      join(home.path, 'config.toml'),
      '--state',
      join(home.path, 'state'),
    ];
    const cwd = join(home.path, 'work');
    await toolwharf(['review', bench.packages, '--yes', ...args], { cwd });
    const run = await toolwharf(['policy', 'explain', 'desk/write', '{"amount":5}', '--json', ...args], {
      cwd,
    });
    expect(JSON.parse(run.stdout)).toMatchObject({
      schema: 'toolwharf/policy@1',
      tool: 'desk/write',
      verdict: 'ask',
      because: [{ origin: { kind: 'project', file: join(cwd, 'toolwharf.toml'), line: 1 } }],
      limits: [{ kind: 'spend', most: 20, left: 20, origin: { kind: 'user', line: 3 } }],
      permissions: { network: { kind: 'none' }, denied: ['desk=net:*'] },
    });
    const shown = await toolwharf(['policy', 'explain', 'desk/write', ...args], { cwd });
    expect(shown.stdout).toContain('desk/write would be held for approval');
    expect(shown.stdout).toContain("toolwharf.toml:1) requires a person's approval: We look first.");
    expect(shown.stdout).toContain('20 in total per day, 20 left');
    home.remove();
  });
});
