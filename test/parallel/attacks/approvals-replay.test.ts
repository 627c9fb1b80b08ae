// SECURITY.md: "An approval runs exactly one call".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, codeOf, openBank, usual } from '../../support/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

test('an approval runs one call once: a thousand parallel attempts pay once, and later ones get the stored answer', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const answers = await Promise.all(Array.from({ length: 1000 }, () => bank.confirm(token)));
  expect(bank.paid()).toEqual(['POST /pay/alice/5']);
  const done = answers.filter((it) => it.status === 'ok');
  expect(done.length).toBeGreaterThanOrEqual(1);
  expect(new Set(done.map((it) => it.callId)).size).toBe(1);
  const rejected = new Set(answers.filter((it) => it.status !== 'ok').map(codeOf));
  expect([...rejected].every((it) => it === 'approval_denied')).toBe(true);
  expect((await bank.confirm(token)).callId).toBe(done[0]?.callId);
  await expect(bank.bench.host.approvals.approve(token, 'person')).rejects.toMatchObject({
    code: 'approval_denied',
  });
  // The same call made again needs a new approval.
  expect((await bank.session.call({ tool: 'bank/pay', arguments: usual })).status).toBe(
    'confirmation_required',
  );
  expect(bank.paid()).toHaveLength(1);
});

test('control: a second approval lets the same call run again', async () => {
  for (let at = 0; at < 2; at++) {
    const token = await bank.hold();
    await bank.bench.host.approvals.approve(token, 'person');
    expect((await bank.confirm(token)).status).toBe('ok');
  }
  expect(bank.paid()).toEqual(['POST /pay/alice/5', 'POST /pay/alice/5']);
});
