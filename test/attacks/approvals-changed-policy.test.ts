// SECURITY.md: "A tool that asks for consent is held; an approval lets exactly that call run, once, for that caller".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, openBank, refusalIn } from './approvals/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

test.each([
  ['policy', { policy: { limits: { wallSeconds: 30 } } }],
  ['grants', { allow: ['net:localhost'] }],
])('under another %s a yes does not count', async (_name, more) => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const other = await bank.open('agent', more);
  expect(refusalIn(await bank.confirm(token, other))).toBe('approval_expired');
  expect(bank.paid()).toEqual([]);
});

test('a changed policy makes what is outstanding void once the call comes again', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const other = await bank.open('agent', { policy: { limits: { wallSeconds: 30 } } });
  expect(await bank.hold(undefined, other)).not.toBe(token);
  expect(await bank.bench.host.approvals.get(token)).toMatchObject({
    state: 'void',
    voidReason: 'the policy was changed',
  });
  expect(refusalIn(await bank.confirm(token))).toBe('approval_expired');
  expect(bank.paid()).toEqual([]);
});

test('control: another session under the same rules may run it', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  expect((await bank.confirm(token, await bank.open())).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});
