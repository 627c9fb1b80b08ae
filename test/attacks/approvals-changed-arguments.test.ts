// SECURITY.md: "A tool that asks for consent is held; an approval lets exactly that call run, once, for that caller".
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from '../../src/store/sqlite.js';
import { type Bank, openBank, refusalIn } from './approvals/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

test('what was approved for one amount pays no other', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  for (const given of [
    { to: 'alice', amount: 500 },
    { to: 'mallory', amount: 5 },
    { to: 'alice ', amount: 5 },
    { to: 'alice', amount: 5, path: '/x' },
  ])
    expect((await bank.session.call({ tool: 'bank/pay', arguments: given })).status).toBe(
      'confirmation_required',
    );
  expect(bank.paid()).toEqual([]);
});

test('arguments beside the token change nothing of the stored call', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  await bank.session.call({
    tool: 'patch_confirm_action',
    arguments: { confirmation_token: token, arguments: { to: 'mallory', amount: 500 }, to: 'mallory' },
  });
  expect(bank.paid()).toEqual(['POST /pay/alice/5']);
});

test('arguments exchanged in the database after the yes do not run', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const other = openSqlite(join(bank.bench.path, 'state', 'toolwharf.db'));
  other.run('update approval set arguments = ? where id = ?', [
    '{"to":"mallory","amount":5,"path":""}',
    token,
  ]);
  other.close();
  expect(refusalIn(await bank.confirm(token))).toBe('approval_expired');
  expect(bank.paid()).toEqual([]);
});

test('control: exactly what was approved pays', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const answer = await bank.session.call({
    tool: 'bank/pay',
    arguments: { amount: 5, path: '', to: 'alice' },
  });
  expect(answer.status).toBe('ok');
  expect(bank.paid()).toEqual(['POST /pay/alice/5']);
});
