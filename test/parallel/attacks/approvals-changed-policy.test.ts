// SECURITY.md: "An approval runs exactly one call".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, codeOf, openBank } from '../../support/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

test.each([
  ['policy', { policy: { limits: { wallSeconds: 30 } } }],
  ['set of grants', { allow: ['net:localhost'] }],
])('an approval is not valid under a different %s', async (_name, more) => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const other = await bank.open('agent', more);
  expect(codeOf(await bank.confirm(token, other))).toBe('approval_expired');
  expect(bank.paid()).toEqual([]);
});

test('a changed policy voids the old approval when the call is made again', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const other = await bank.open('agent', { policy: { limits: { wallSeconds: 30 } } });
  expect(await bank.hold(undefined, other)).not.toBe(token);
  expect(await bank.bench.host.approvals.get(token)).toMatchObject({
    state: 'void',
    voidReason: 'the policy was changed',
  });
  expect(codeOf(await bank.confirm(token))).toBe('approval_expired');
  expect(bank.paid()).toEqual([]);
});

test('control: another session under the same policy can run the approved call', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  expect((await bank.confirm(token, await bank.open())).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});
