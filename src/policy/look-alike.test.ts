import { expect, test } from 'vitest';
import { lookAlikes, lookOf } from './look-alike.js';

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
  expect(lookOf(one)).toBe(lookOf(other));
  expect(lookAlikes([one, 'something else', other])).toEqual(
    new Map([
      [one, [other]],
      [other, [one]],
    ]),
  );
});

test('names that only begin alike are told apart, and one name alone is like nobody', () => {
  expect(lookAlikes(['weather', 'weathers', 'mail', 'gmail', 'mail'])).toEqual(new Map());
});
