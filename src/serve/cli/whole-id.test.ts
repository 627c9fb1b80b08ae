import { expect, test } from 'vitest';
import { wholeId } from './whole-id.js';

const ids = ['apr_0123456789', 'apr_0123456abc', 'apr_fedcba9876'];

test.each([
  ['apr_fedcba', 'apr_fedcba9876'],
  ['apr_fedcba9876', 'apr_fedcba9876'],
  ['apr_fedcba…', 'apr_fedcba9876'],
  // Too short, of another kind, or of none.
  ['apr_fedc', 'apr_fedc'],
  ['rule_fedcba', 'rule_fedcba'],
  ['apr_999999', 'apr_999999'],
])('%s means %s', (written, whole) => {
  expect(wholeId(written, 'apr_', ids)).toBe(whole);
});

test('of several, none is meant', () => {
  expect(() => wholeId('apr_012345', 'apr_', ids)).toThrow('2 ids begin with apr_012345');
});
