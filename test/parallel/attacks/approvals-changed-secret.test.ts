// SECURITY.md: "An approval runs exactly one call".
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SecretAudience } from '../../../src/index.js';
import { type Bank, codeOf, openBank } from '../../support/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

const named: SecretAudience = { kind: 'hosts', hosts: ['localhost'] };
const set = (value: string, audience: SecretAudience = { kind: 'manifest' }, packageId = 'bank') =>
  bank.bench.host.secrets.set({ package: packageId, slot: 'key', value, audience, by: 'person' });

test.each([
  ['a different secret', () => set(['an', 'other'].join('-'))],
  ['a different audience', () => set(['the', 'first'].join('-'), named)],
  ['a deleted secret', () => bank.bench.host.secrets.unset('bank', 'key', 'person')],
])('%s after the approval voids it', async (_name, change) => {
  await set(['the', 'first'].join('-'));
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  bank.clock += 1;
  await change();
  expect(await bank.bench.host.approvals.get(token)).toMatchObject({
    state: 'void',
    voidReason: 'the value for key of bank was changed',
  });
  expect(codeOf(await bank.confirm(token))).toBe('approval_expired');
  expect(await bank.hold()).not.toBe(token);
  expect(bank.paid()).toEqual([]);
});

test('a different secret in an environment variable voids the approval', async () => {
  const allow = [`net:localhost:${bank.server.port}`, 'env:key'];
  const first = await bank.open('agent', { allow, environment: { key: ['one', '1'].join('') } });
  const token = await bank.hold(undefined, first);
  await bank.bench.host.approvals.approve(token, 'person');
  const second = await bank.open('agent', { allow, environment: { key: ['two', '2'].join('') } });
  expect(codeOf(await bank.confirm(token, second))).toBe('approval_expired');
  expect(await bank.bench.host.approvals.get(token)).toMatchObject({
    state: 'void',
    voidReason: 'the credentials of the package were changed',
  });
  expect(bank.paid()).toEqual([]);
});

test('control: a changed secret of another package has no effect', async () => {
  await set(['the', 'first'].join('-'));
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  await set('x-x-x', { kind: 'manifest' }, 'bank2');
  expect((await bank.confirm(token)).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});
