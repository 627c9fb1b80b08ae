import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteBudget } from './byte-budget.js';

test('an owner gets no more than its part, and all together no more than the total', () => {
  const budget = new ByteBudget({ perOwner: 10, total: 15 });
  const [a, again, b] = [budget.open('a'), budget.open('a'), budget.open('b')];
  expect([a.take(6), again.take(5), again.take(4)]).toEqual([undefined, 'owner', undefined]);
  expect([b.take(6), b.take(5)]).toEqual(['total', undefined]);
  a.close();
  expect([budget.used, b.take(5)]).toEqual([9, undefined]);
});

test('what was reserved is free again after every order of events', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(3), fc.constantFrom('take', 'give', 'close'), fc.nat(12)), { maxLength: 60 }),
      (events) => {
        const budget = new ByteBudget({ perOwner: 20, total: 30 });
        const shares = ['a', 'a', 'b', 'c'].map((it) => budget.open(it));
        for (const [index, what, bytes] of events) {
          shares[index]?.[what as 'take'](bytes);
          expect(budget.used).toBeLessThanOrEqual(30);
          expect(budget.used).toBeGreaterThanOrEqual(0);
        }
        for (const it of shares) it.close();
        expect(budget.used).toBe(0);
        expect(budget.open('a').take(20)).toBeUndefined();
      },
    ),
  );
});
