// SECURITY.md: "A tool that asks for consent is held; an approval lets exactly that call run, once, for that caller".
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SecretAudience } from '../../src/index.js';
import { type Bank, openBank, refusalIn } from './approvals/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

const named: SecretAudience = { kind: 'hosts', hosts: ['localhost'] };
const set = (value: string, audience: SecretAudience = { kind: 'manifest' }, packageId = 'bank') =>
  bank.bench.host.secrets.set({ package: packageId, slot: 'key', value, audience, by: 'person' });

test.each([
  ['another value', () => set(['an', 'other'].join('-'))],
  ['another audience', () => set(['the', 'first'].join('-'), named)],
  ['no value', () => bank.bench.host.secrets.unset('bank', 'key', 'person')],
])('%s after the yes makes it void', async (_name, change) => {
  await set(['the', 'first'].join('-'));
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  bank.clock += 1;
  await change();
  expect(await bank.bench.host.approvals.get(token)).toMatchObject({
    state: 'void',
    voidReason: 'the value for key of bank was changed',
  });
  expect(refusalIn(await bank.confirm(token))).toBe('approval_expired');
  expect(await bank.hold()).not.toBe(token);
  expect(bank.paid()).toEqual([]);
});

test('another value that comes as a variable is another call', async () => {
  const allow = [`net:localhost:${bank.server.port}`, 'env:key'];
  const first = await bank.open('agent', { allow, environment: { key: ['one', '1'].join('') } });
  const token = await bank.hold(undefined, first);
  await bank.bench.host.approvals.approve(token, 'person');
  const second = await bank.open('agent', { allow, environment: { key: ['two', '2'].join('') } });
  expect(refusalIn(await bank.confirm(token, second))).toBe('approval_expired');
  expect(await bank.bench.host.approvals.get(token)).toMatchObject({
    state: 'void',
    voidReason: 'the credentials of the package were changed',
  });
  expect(bank.paid()).toEqual([]);
});

test('control: a value of another package changes nothing', async () => {
  await set(['the', 'first'].join('-'));
  const token = await bank.hold();
  await bank.bench.host.approvals.approve(token, 'person');
  await set('x-x-x', { kind: 'manifest' }, 'bank2');
  expect((await bank.confirm(token)).status).toBe('ok');
  expect(bank.paid()).toHaveLength(1);
});
