import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { isLinearRegex } from './linear-regex.js';

const linear = [
  '',
  'a',
  '^[a-z][a-z0-9_]*$',
  '(?:a|b)+',
  '(?<name>x)',
  '(x)(y)',
  '\\d{1,3}\\.\\d+',
  '[\\]\\\\(?=]',
  '\\p{L}+',
  '\\\\1',
  '[^"]*',
  'a{1000}',
  '\\(\\?=',
  '(?i:x)'.replace('i', ''),
];
const notLinear = [
  '(?=a)',
  '(?!a)b',
  '(?<=a)b',
  '(?<!a)b',
  '(a)\\1',
  '(?<n>a)\\k<n>',
  'a{1001}',
  '(a{100}){100}',
  '\\p{Script=Greek}',
];

test.each(linear)('the engine supports %s', (pattern) => {
  expect(isLinearRegex(pattern)).toBe(true);
  expect(() => RE2JS.compile(RE2JS.translateRegExp(pattern))).not.toThrow();
});

test.each(notLinear)('the engine does not support %s', (pattern) => {
  expect(isLinearRegex(pattern)).toBe(false);
});

test('a long pattern is checked quickly', () => {
  const started = performance.now();
  isLinearRegex('(a{2}'.repeat(10_000));
  isLinearRegex('['.repeat(100_000));
  expect(performance.now() - started).toBeLessThan(1000);
});
