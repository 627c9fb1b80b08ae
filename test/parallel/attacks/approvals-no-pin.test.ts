// SECURITY.md: "A PIN protects operator operations".
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor } from '../../../src/host/host.js';
import type { StandingRuleInput } from '../../../src/model/standing-rule.js';
import { type Bank, manifest, openBank, recorded } from '../../support/bank.js';

const pin = ['nobody', 'knows', '1'].join('-');

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
  await bank.bench.host.operator.setPin(pin, 'person');
});
afterAll(() => bank.close());

const rule: StandingRuleInput = {
  tool: 'bank/pay',
  definition: 'd',
  principal: null,
  conditions: [],
  destructive: false,
  expiresAt: null,
};

/** All operations that give more permissions. */
const operations: Readonly<Record<string, (by: Actor, token: string) => Promise<unknown>>> = {
  approve: (by, token) => bank.bench.host.approvals.approve(token, by),
  'secret set': (by) =>
    bank.bench.host.secrets.set({
      package: 'bank',
      slot: 'key',
      value: 'v-a-l-u-e',
      audience: { kind: 'any' },
      by,
    }),
  'secret unset': (by) => bank.bench.host.secrets.unset('bank', 'key', by),
  'token create': (by) =>
    bank.bench.host.tokens.create({ name: 'mine', role: 'operator', expiresAt: null, by }),
  enable: (by) => bank.bench.host.switches.set('bank', true, by),
  'rule add': (by) => bank.bench.host.approvals.rules.add(rule, by),
  'kill --lift': async (by) => {
    await bank.bench.host.kills.set('other', 'person', true);
    await bank.bench.host.kills.lift('other', by);
  },
  'secret rekey': (by) =>
    bank.bench.host.secrets.rekey({ to: 'passphrase', passphrase: 'some-words-here', by }),
  'notice key': (by) => bank.bench.host.approvals.noticeKey(by),
  accept: async (by) => {
    const session = await bank.open();
    const { to } = await session.review('bank');
    await session.accept('bank', to, by);
  },
  'pin change': (by) => bank.bench.host.operator.setPin(`${pin}-2`, by),
  'pin remove': (by) => bank.bench.host.operator.removePin(by),
};

const strangers: readonly Actor[] = [
  'library',
  { name: 'mallory', channel: 'terminal' },
  { name: 'mallory', channel: 'api', signIn: 'tws_made-up' },
  { name: 'mallory', channel: 'terminal', pin: '' },
];

const me = { name: 'person', channel: 'terminal', pin } as const;

test.each(Object.keys(operations))('%s is denied without the PIN', async (name) => {
  const operate = operations[name] as (typeof operations)[string];
  const token = await bank.hold({ to: 'alice', amount: Object.keys(operations).indexOf(name) + 100 });
  const before = bank.paid().length;
  if (name === 'accept')
    bank.bench.write({
      'bank/findagent.json': manifest(bank.server.port).replace(
        `http://localhost:${bank.server.port}/account`,
        'https://api.example.com/account',
      ),
    });
  for (const by of strangers)
    await expect(operate(by, token), JSON.stringify(by)).rejects.toMatchObject({ code: 'pin_required' });
  // A client's answer is valid only for the call that it was asked about.
  if (name !== 'approve')
    await expect(operate({ name: 'mallory', channel: 'client' }, token)).rejects.toMatchObject({
      code: 'pin_required',
    });
  const operator = await recorded(bank, 'operator');
  expect(operator.filter((it) => it.by === 'mallory' && it.operation !== 'wrong PIN')).toEqual([]);
  expect(bank.paid()).toHaveLength(before);
  // Control: the same operation succeeds with the PIN.
  await operate(name === 'pin remove' ? { ...me, pin: `${pin}-2` } : me, token);
  await bank.bench.host.approvals.deny(token, 'person').catch(() => {});
});

test('denying, disabling and revoking never need the PIN', async () => {
  const { host } = bank.bench;
  const token = await bank.hold();
  const { entry } = await host.tokens.create({ name: 'old', role: 'agent', expiresAt: null, by: 'person' });
  const kept = await host.approvals.rules.add(rule, 'person');
  await host.operator.setPin(pin, 'person');
  expect((await host.approvals.deny(token, 'anybody')).state).toBe('denied');
  expect(await host.switches.set('bank', false, 'anybody')).toBe(true);
  expect(await host.tokens.revoke(entry.id, 'anybody')).toBe(true);
  expect(await host.approvals.rules.revoke(kept.id, 'anybody')).toBe(true);
});

test('a PIN that is easy to guess is rejected', async () => {
  const weak = ['', '12345', '123456', '654321', 'aaaaaa', 'abc def', `abc${'\u200B'}defg`, 'xy'.repeat(65)];
  for (const it of weak)
    await expect(bank.bench.host.operator.setPin(it, me)).rejects.toMatchObject({ code: 'invalid_input' });
});
