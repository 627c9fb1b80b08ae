// SECURITY.md: "An approval runs exactly one call".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, codeOf, openBank } from '../../support/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

test('another caller cannot use an approval, with or without its token', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const mallory = await bank.open('mallory');
  expect(codeOf(await bank.confirm(token, mallory))).toBe('approval_not_found');
  expect(await bank.hold(undefined, mallory)).not.toBe(token);
  expect(bank.paid()).toEqual([]);
});

test('control: the caller that made the call can use the approval', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  expect((await bank.confirm(token)).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});
