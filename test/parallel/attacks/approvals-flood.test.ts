// SECURITY.md: "An approval runs exactly one call".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bank, codeOf, openBank } from '../../support/bank.js';

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

const ask = async (amount: number, session = bank.session) =>
  codeOf(await session.call({ tool: 'bank/pay', arguments: { to: 'mallory', amount } }));

test('a caller cannot flood a person with approval requests', async () => {
  const first = await Promise.all(Array.from({ length: 100 }, (_, at) => ask(at)));
  expect(first.filter((it) => it === 'confirmation_required')).toHaveLength(10);
  expect(first.filter((it) => it === 'denied')).toHaveLength(90);
  // The number per minute is limited too, even if each request is decided at once.
  let asked = 10;
  const second = await bank.open();
  for (let at = 100; at < 200; at++) {
    for (const it of await bank.bench.host.approvals.list(['proposed']))
      await bank.bench.host.approvals.deny(it.id, 'person');
    const code = await ask(at, at % 2 === 0 ? bank.session : second);
    if (code === 'confirmation_required') asked++;
    else expect(code).toBe('rate_limited');
  }
  expect(asked).toBe(30);
  expect(bank.paid()).toEqual([]);
});

test('control: another caller can still ask, and so can the same caller later', async () => {
  for (let at = 0; at < 10; at++) await ask(at);
  expect(await ask(10)).toBe('denied');
  expect(await ask(10, await bank.open('bob'))).toBe('confirmation_required');
  bank.clock += 10 * 60_000;
  expect(await ask(10)).toBe('confirmation_required');
});
