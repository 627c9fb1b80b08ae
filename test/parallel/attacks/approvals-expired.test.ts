// SECURITY.md: "An approval runs exactly one call".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, codeOf, openBank } from '../../support/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

const lifetime = 10 * 60_000;

test('approvals and held calls expire after ten minutes', async () => {
  const approved = await bank.hold();
  await bank.bench.host.approvals.approve(approved, 'person');
  const proposed = await bank.hold({ to: 'bob', amount: 1 });
  bank.clock += lifetime;
  await expect(bank.bench.host.approvals.approve(proposed, 'person')).rejects.toMatchObject({
    code: 'approval_denied',
  });
  for (const token of [approved, proposed])
    expect(codeOf(await bank.confirm(token))).toBe('approval_expired');
  // Setting the clock back does not restore an approval.
  bank.clock -= lifetime;
  expect(codeOf(await bank.confirm(approved))).toBe('approval_expired');
  expect(bank.paid()).toEqual([]);
});

test('control: the call runs one millisecond before the approval expires', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  bank.clock += lifetime - 1;
  expect((await bank.confirm(token)).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});
