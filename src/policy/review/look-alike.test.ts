import { expect, test } from 'vitest';
import { lookAlikeKey, lookAlikes } from './look-alike.js';

test.each([
  ['paypal', 'paypaI'],
  ['paypal', 'paypa1'],
  ['google', 'goog1e'],
  ['modern-tools', 'rnodern-tools'],
  ['word_count', 'word-count'],
  ['wallet', 'vvallet'],
  ['payments', 'pаyments'],
  ['cafe', 'café'],
  ['notes', 'n0tes'],
])('%s and %s can be mistaken for each other', (one, other) => {
  expect(lookAlikeKey(one)).toBe(lookAlikeKey(other));
  expect(lookAlikes([one, 'something else', other])).toEqual(
    new Map([
      [one, [other]],
      [other, [one]],
    ]),
  );
});

test('names with a common start are not look-alikes, and a single name has none', () => {
  expect(lookAlikes(['weather', 'weathers', 'mail', 'gmail', 'mail'])).toEqual(new Map());
});
