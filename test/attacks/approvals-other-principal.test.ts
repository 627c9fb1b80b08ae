// SECURITY.md: "A tool that asks for consent is held; an approval lets exactly that call run, once, for that caller".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, openBank, refusalIn } from './approvals/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

test('what one caller was allowed runs for no other, with or without its token', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const mallory = await bank.open('mallory');
  expect(refusalIn(await bank.confirm(token, mallory))).toBe('approval_not_found');
  expect(await bank.hold(undefined, mallory)).not.toBe(token);
  expect(bank.paid()).toEqual([]);
});

test('control: the caller it was meant for may', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  expect((await bank.confirm(token)).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});
