// SECURITY.md: "A tool that asks for consent is held; an approval lets exactly that call run, once, for that caller".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, openBank, refusalIn } from './approvals/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

const lifetime = 10 * 60_000;

test('a yes that is ten minutes old, and a question that is, lead nowhere', async () => {
  const approved = await bank.hold();
  await bank.bench.host.approvals.approve(approved, 'person');
  const proposed = await bank.hold({ to: 'bob', amount: 1 });
  bank.clock += lifetime;
  await expect(bank.bench.host.approvals.approve(proposed, 'person')).rejects.toMatchObject({
    code: 'approval_denied',
  });
  for (const token of [approved, proposed])
    expect(refusalIn(await bank.confirm(token))).toBe('approval_expired');
  // A clock that goes back brings nothing back.
  bank.clock -= lifetime;
  expect(refusalIn(await bank.confirm(approved))).toBe('approval_expired');
  expect(bank.paid()).toEqual([]);
});

test('control: a moment before, it runs', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  bank.clock += lifetime - 1;
  expect((await bank.confirm(token)).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});
