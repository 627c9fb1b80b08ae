import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical, plainDigits, squeeze } from './folded-text.js';

describe('folding', () => {
  test.each([
    ['DE89 3704-0044', 'DE8937040044'],
    ['d​e8937040044', 'DE8937040044'],
    ['ＤＥ８９３７０４００４４', 'DE8937040044'],
    ['DE٨٩٣٧٠٤٠٠٤٤', 'DE8937040044'],
    ['раураl', 'PayPal'],
    ['PAYPA1', 'paypal'],
    ['tru.st\tme', 'trustme'],
  ])('%j is found as %j', (disguised, value) => expect(squeeze(disguised)).toBe(squeeze(value)));

  test('a look-alike is not vouched for', () => expect(canonical('раураl')).not.toBe(canonical('paypal')));

  test('digits of other scripts are digits', () => expect(plainDigits('१२३ ٤٥ 𝟙')).toBe('123 45 1'));

  test('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(squeeze(squeeze(text))).toBe(squeeze(text));
        expect(canonical(canonical(text))).toBe(canonical(text));
      }),
    );
  });
});
