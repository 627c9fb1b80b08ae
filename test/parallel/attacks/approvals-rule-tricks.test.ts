// SECURITY.md: "Standing rules are exact".
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Condition, StandingRuleInput } from '../../../src/model/standing-rule.js';
import { type Bank, codeOf, manifest, openBank, recorded } from '../../support/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

async function add(conditions: Record<string, Condition[]>, more: Partial<StandingRuleInput> = {}) {
  const { packages } = await bank.session.packages();
  const definition = packages.find((it) => it.id === 'bank')?.digest as string;
  const rule = {
    tool: 'bank/pay',
    definition,
    principal: null,
    destructive: false,
    expiresAt: null,
    conditions: Object.entries(conditions).flatMap(([argument, all]) =>
      all.map((condition) => ({ argument, condition })),
    ),
    ...more,
  };
  return bank.bench.host.approvals.rules.add(rule, 'person');
}

const any: Condition[] = [{ test: 'any' }];
const reports: Record<string, Condition[]> = {
  path: [{ test: 'under', path: '/reports' }],
  amount: [{ test: 'at-most', number: 50 }],
  to: [{ test: 'one-of', values: ['alice', 'bob'] }],
};
const call = async (given: object, tool = 'bank/pay', session = bank.session) =>
  codeOf(
    await session.call({
      tool,
      arguments: { to: 'alice', amount: 5, path: '/reports/a', ...given } as never,
    }),
  );

test('control: a call that matches the rule runs without approval, and the audit log names the rule', async () => {
  const rule = await add(reports);
  // The answers of the bank are not the subject here.
  const session = await bank.open('agent', { policy: { taint: { mode: 'observe' } } });
  for (const given of [{}, { path: '/reports/2026/./a b.txt' }, { path: '//reports//x' }, { amount: 50 }])
    expect(await call(given, 'bank/pay', session), JSON.stringify(given)).toBe('ok');
  expect(bank.paid()).toHaveLength(4);
  const intents = await recorded(bank, 'intent');
  expect(intents.map((it) => it.rule)).toEqual(Array(4).fill(rule.id));
  expect((await bank.bench.host.approvals.rules.list())[0]).toMatchObject({ used: 4, state: 'active' });
});

const paths = [
  '/reports',
  '/reports/',
  '/reports/.',
  '/reports/..',
  '/reports/../etc/passwd',
  '/reports/a/../../etc',
  '/reports/%2e%2e/etc',
  '/reports/%2E%2E%2Fetc',
  '/reports\\..\\etc',
  '/reports/a\u0000/../../etc',
  '/reports/\uFF0E\uFF0E/etc',
  '/reports/..\uFF0Fetc',
  '/reports/.\u200B./etc',
  '/reportsx/a',
  '/Reports/a',
  'reports/a',
  '~/reports/a',
  'file:/reports/a',
  '',
];

const asked = [
  ['an amount above the limit', { amount: 50.01 }],
  ['a negative amount', { amount: -1000 }],
  ['another recipient', { to: 'mallory' }],
  ['a recipient with a look-alike name', { to: 'alic\u0435' }],
  ...paths.map((path) => [`the path ${JSON.stringify(path)}`, { path }] as const),
] as const;

test('paths not below /reports, other amounts and other recipients need approval', async () => {
  await add(reports);
  for (const [name, given] of asked) {
    bank.clock += 60_000 * 11;
    expect(await call(given), name).toBe('confirmation_required');
  }
  expect(bank.paid()).toEqual([]);
});

test('a rule that does not name every argument does not apply', async () => {
  const { path: _, ...rest } = reports;
  await add(rest);
  expect(await call({})).toBe('confirmation_required');
  expect(bank.paid()).toEqual([]);
  // Control: the rule applies if it names the argument as free.
  await add({ ...rest, path: any });
  expect(await call({})).toBe('ok');
});

test('a pattern must match the whole text, and hostile text does not slow it down', async () => {
  await add({ ...reports, to: [{ test: 'matches', pattern: '(a+)+b?' }] });
  for (const to of ['xaaa', 'aaax', 'aaa\nmallory', `${'a'.repeat(20_000)}!`])
    expect(await call({ to })).toBe('confirmation_required');
  expect(bank.paid()).toEqual([]);
  expect(await call({ to: 'aaab' })).toBe('ok');
});

test('a rule covers a destructive tool only if it says so', async () => {
  const account = { tool: 'bank/close_account' };
  await add({ to: any }, account);
  const close = async () =>
    codeOf(await bank.session.call({ tool: 'bank/close_account', arguments: { to: 'alice' } }));
  expect(await close()).toBe('confirmation_required');
  expect(bank.paid()).toEqual([]);
  await add({ to: any }, { ...account, destructive: true });
  expect(await close()).toBe('ok');
});

test('rules for another caller, expired rules and revoked rules do not apply', async () => {
  const free = { to: any, amount: any, path: any };
  await add(free, { principal: 'somebody else' });
  expect(await call({ amount: 1 })).toBe('confirmation_required');
  await add(free, { expiresAt: bank.clock + 1000 });
  bank.clock += 1000;
  expect(await call({ amount: 2 })).toBe('confirmation_required');
  const gone = await add(free);
  await bank.bench.host.approvals.rules.revoke(gone.id, 'person');
  expect(await call({ amount: 3 })).toBe('confirmation_required');
  expect(bank.paid()).toEqual([]);
  // Control: an active rule for every caller applies.
  await add(free);
  expect(await call({ amount: 4 })).toBe('ok');
});

test('a package change ends its rules', async () => {
  const rule = await add({ to: any, amount: any, path: any });
  bank.bench.write({ 'bank/findagent.json': manifest(bank.server.port, 'Pay somebody else.') });
  const changed = await bank.open();
  const answer = await changed.call({ tool: 'bank/pay', arguments: { to: 'alice', amount: 5 } });
  expect(answer.status).not.toBe('ok');
  expect(bank.paid()).toEqual([]);
  const [kept] = await bank.bench.host.approvals.rules.list();
  expect(kept).toMatchObject({
    id: rule.id,
    state: 'ended',
    endReason: 'the definition of the package changed',
  });
});
