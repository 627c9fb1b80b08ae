import { expect, test } from 'vitest';
import { expandId } from './id-prefix.js';

const ids = ['apr_0123456789', 'apr_0123456abc', 'apr_fedcba9876'];

test.each([
  ['apr_fedcba', 'apr_fedcba9876'],
  ['apr_fedcba9876', 'apr_fedcba9876'],
  ['apr_fedcba…', 'apr_fedcba9876'],
  // Too short, with another prefix, or unknown.
  ['apr_fedc', 'apr_fedc'],
  ['rule_fedcba', 'rule_fedcba'],
  ['apr_999999', 'apr_999999'],
])('%s expands to %s', (written, whole) => {
  expect(expandId(written, 'apr_', ids)).toBe(whole);
});

test('a prefix of several ids is an error', () => {
  expect(() => expandId('apr_012345', 'apr_', ids)).toThrow('2 ids start with apr_012345');
});
