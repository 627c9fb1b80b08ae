// SECURITY.md: "A tool that asks for consent is held; an approval lets exactly that call run, once, for that caller".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, openBank, refusalIn, usual } from './approvals/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

test('an approval that was used is used up: a thousand at once pay once, and later ones get the stored answer', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const answers = await Promise.all(Array.from({ length: 1000 }, () => bank.confirm(token)));
  expect(bank.paid()).toEqual(['POST /pay/alice/5']);
  const done = answers.filter((it) => it.status === 'ok');
  expect(done.length).toBeGreaterThanOrEqual(1);
  expect(new Set(done.map((it) => it.callId)).size).toBe(1);
  const refused = new Set(answers.filter((it) => it.status !== 'ok').map(refusalIn));
  expect([...refused].every((it) => it === 'approval_denied')).toBe(true);
  expect((await bank.confirm(token)).callId).toBe(done[0]?.callId);
  await expect(bank.bench.host.approvals.approve(token, 'person')).rejects.toMatchObject({
    code: 'approval_denied',
  });
  // The same call made anew is asked for anew.
  expect((await bank.session.call({ tool: 'bank/pay', arguments: usual })).status).toBe(
    'confirmation_required',
  );
  expect(bank.paid()).toHaveLength(1);
});

test('control: with a second approval the same call pays a second time', async () => {
  for (let at = 0; at < 2; at++) {
    const token = await bank.hold();
    await bank.bench.host.approvals.approve(token, 'person');
    expect((await bank.confirm(token)).status).toBe('ok');
  }
  expect(bank.paid()).toEqual(['POST /pay/alice/5', 'POST /pay/alice/5']);
});
