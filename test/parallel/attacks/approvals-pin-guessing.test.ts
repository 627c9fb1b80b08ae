// SECURITY.md: "A PIN protects operator operations".
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost, type HostError } from '../../../src/index.js';
import { type Bank, codeOf, openBank, recorded } from '../../support/bank.js';

const right = ['correct', 'horse', '7'].join('-');

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
  await bank.bench.host.operator.setPin(right, 'person');
});
afterEach(() => bank.close());

const guess = (token: string, pin: string, host = bank.bench.host) =>
  host.approvals.approve(token, { name: 'mallory', channel: 'terminal', pin }).then(
    () => 'approved',
    (error: unknown) => (error as HostError).code,
  );

test('after five wrong PINs, waiting times start and double, also after a restart', async () => {
  const token = await bank.hold();
  const many = await Promise.all(Array.from({ length: 40 }, (_, at) => guess(token, `guess-${at}x`)));
  expect(many.filter((it) => it === 'pin_required')).toHaveLength(5);
  expect(many.filter((it) => it === 'rate_limited')).toHaveLength(35);
  // The correct PIN is not checked either, so a guess during the wait reveals nothing.
  expect(await guess(token, right)).toBe('rate_limited');
  let wait = 30_000;
  for (let round = 0; round < 3; round++) {
    bank.clock += wait - 1;
    expect(await guess(token, right)).toBe('rate_limited');
    bank.clock += 1;
    expect(await guess(token, 'still-wrong')).toBe('pin_required');
    wait *= 2;
  }
  const { clock } = bank;
  await bank.bench.host.close();
  const again = await createHost({ state: join(bank.bench.path, 'state'), now: () => clock });
  expect(await guess(token, right, again)).toBe('rate_limited');
  // The count of failures survives the restart.
  expect((await again.operator.pin()).failures).toBe(8);
  await again.close();
  expect(bank.paid()).toEqual([]);
});

test('waiting times on pages of held calls start and double too, also after a restart, and only there', async () => {
  const token = await bank.hold();
  const onPage = (pin: string, host = bank.bench.host) =>
    host.approvals.approve(token, { name: 'mallory', channel: 'page', pin }).then(
      () => 'approved',
      (error: unknown) => (error as HostError).code,
    );
  const many = await Promise.all(Array.from({ length: 20 }, (_, at) => onPage(`guess-${at}x`)));
  expect(many.filter((it) => it === 'pin_required')).toHaveLength(5);
  bank.clock += 30_000;
  expect(await onPage('still-wrong')).toBe('pin_required');
  bank.clock += 59_999;
  expect(await onPage(right)).toBe('rate_limited');
  const { clock } = bank;
  await bank.bench.host.close();
  const again = await createHost({ state: join(bank.bench.path, 'state'), now: () => clock });
  expect(await onPage(right, again)).toBe('rate_limited');
  expect(await again.operator.pin()).toEqual({ set: true, failures: 0, waitUntil: null });
  expect(await guess(token, right, again)).toBe('approved');
  await again.close();
});

test('setting the clock back does not end the waiting time', async () => {
  const token = await bank.hold();
  for (let at = 0; at < 5; at++) await guess(token, `guess-${at}x`);
  bank.clock -= 60_000;
  expect(await guess(token, right)).toBe('rate_limited');
  bank.clock += 29_999;
  expect(await guess(token, right)).toBe('rate_limited');
});

test('every wrong PIN is in the audit log, without the PIN that was tried', async () => {
  const token = await bank.hold();
  await guess(token, 'my-wrong-guess');
  const entries = await recorded(bank, 'operator');
  expect(entries.at(-1)).toMatchObject({
    operation: 'wrong PIN',
    for: 'approve',
    by: 'mallory',
    failures: 1,
  });
  expect(JSON.stringify(entries)).not.toContain('my-wrong-guess');
  expect(JSON.stringify(entries)).not.toContain(right);
});

test('control: the correct PIN approves, is logged as verified, and resets the count of failures', async () => {
  const token = await bank.hold();
  for (let at = 0; at < 4; at++) expect(await guess(token, `guess-${at}x`)).toBe('pin_required');
  expect(await guess(token, right)).toBe('approved');
  expect((await bank.bench.host.operator.pin()).failures).toBe(0);
  expect((await recorded(bank, 'approval')).at(-1)).toMatchObject({
    decision: 'approved',
    verified: true,
    channel: 'terminal',
  });
  expect((await bank.confirm(token)).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});

test('control: without a PIN, an approval works and is logged as unverified', async () => {
  await bank.bench.host.operator.removePin({ name: 'person', channel: 'terminal', pin: right });
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, { name: 'mallory', channel: 'terminal' });
  expect((await recorded(bank, 'approval')).at(-1)).toMatchObject({ verified: false });
  expect(codeOf(await bank.confirm(token))).toBe('ok');
});
