// SECURITY.md: "An approval runs exactly one call".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, codeOf, manifest, openBank, usual } from '../../support/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

test('a package change voids its approvals and states the reason', async () => {
  const approved = await bank.hold();
  await bank.bench.host.approvals.approve(approved, 'person');
  const proposed = await bank.hold({ to: 'bob', amount: 1 });
  bank.bench.write({ 'bank/findagent.json': manifest(bank.server.port, 'Pay somebody else.') });
  const changed = await bank.open();
  for (const token of [approved, proposed]) {
    expect(await bank.bench.host.approvals.get(token)).toMatchObject({
      state: 'void',
      voidReason: 'the definition of the package changed',
    });
    expect(codeOf(await bank.confirm(token, changed))).toBe('approval_expired');
    // A session that still has the old definition cannot use it either.
    expect(codeOf(await bank.confirm(token))).toBe('approval_expired');
    await expect(bank.bench.host.approvals.approve(token, 'person')).rejects.toMatchObject({
      code: 'approval_denied',
    });
  }
  expect((await changed.call({ tool: 'bank/pay', arguments: usual })).status).not.toBe('ok');
  expect(bank.paid()).toEqual([]);
});

test('control: a package rewritten with the same content runs', async () => {
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  bank.bench.write({ 'bank/findagent.json': manifest(bank.server.port) });
  expect((await bank.confirm(token, await bank.open())).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});
