// SECURITY.md: "An approval runs exactly one call".
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from '../../../src/store/sqlite/sqlite.js';
import { type Bank, codeOf, openBank } from '../../support/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

test('an approval does not cover other arguments', async () => {
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

test('arguments sent with the token do not change the stored call', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  await bank.session.call({
    tool: 'patch_confirm_action',
    arguments: { confirmation_token: token, arguments: { to: 'mallory', amount: 500 }, to: 'mallory' },
  });
  expect(bank.paid()).toEqual(['POST /pay/alice/5']);
});

test('arguments changed in the database after the approval do not run', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const other = openSqlite(join(bank.bench.path, 'state', 'toolwharf.db'));
  other.run('update approval set arguments = ? where id = ?', [
    '{"to":"mallory","amount":5,"path":""}',
    token,
  ]);
  other.close();
  expect(codeOf(await bank.confirm(token))).toBe('approval_expired');
  expect(bank.paid()).toEqual([]);
});

test('control: the approved arguments run', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  const answer = await bank.session.call({
    tool: 'bank/pay',
    arguments: { amount: 5, path: '', to: 'alice' },
  });
  expect(answer.status).toBe('ok');
  expect(bank.paid()).toEqual(['POST /pay/alice/5']);
});
