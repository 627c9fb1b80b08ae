import { expect, test } from 'vitest';
import { amountOf } from './amount.js';

const pays = { type: 'object', properties: { amount: { type: 'number' }, to: { type: 'string' } } };

test.each([
  [{ amount: 5 }, 5],
  [{ amount: 0 }, 0],
  [{ amount: 12.5, to: 'x' }, 12.5],
  [{ amount_cents: 1250 }, 1250],
  [{ total: 3, value: 7, amount: 5 }, 7],
  [{ amount: 1, items: [{ amount: 900 }] }, 1],
])('the amount of %j is %j', (input, value) => {
  expect(amountOf(input, pays)).toEqual({ kind: 'known', value });
});

test.each([
  [{ amount: '5' }],
  [{ amount: 'EUR 5' }],
  [{ amount: null }],
  [{ amount: true }],
  [{ amount: [5] }],
  [{ amount: { value: 5 } }],
  [{ amount: -1 }],
  [{ amount: Number.NaN }],
  [{ amount: Number.POSITIVE_INFINITY }],
  [{ amount: 5, total: '1000' }],
  [{ to: 'x' }],
  [{ order: { amount: 5 } }],
])('the amount of %j is unclear', (input) => {
  expect(amountOf(input, pays)).toMatchObject({ kind: 'unclear' });
});

test('a tool without an amount input has no amount', () => {
  expect(amountOf({ to: 'x' }, { type: 'object', properties: { to: { type: 'string' } } })).toEqual({
    kind: 'none',
  });
  expect(amountOf({ to: 'x' }, true)).toEqual({ kind: 'none' });
});
