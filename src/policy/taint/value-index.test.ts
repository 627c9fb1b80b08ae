import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { squeeze } from './folded-text.js';
import { lowestLabel } from './taint-label.js';
import { ValueIndex } from './value-index.js';

const origin = { package: 'p', tool: 't', callId: 'c', call: 1 };
const how = { label: lowestLabel, isThirdParty: true };

function indexOf(...values: string[]): ValueIndex {
  const index = new ValueIndex();
  for (const it of values) index.add(origin, { text: it }, how);
  return index;
}

describe('a value is found', () => {
  test.each([
    ['as a word', 'pay DE8937040044 now', 'DE8937040044'],
    ['with separators', 'pay DE8937040044 now', 'DE89 3704-0044'],
    ['as one of separated parts', 'pay DE89 3704 0044 now', 'DE8937040044'],
    ['in other digits', 'pay DE8937040044 now', 'DE٨٩٣٧٠٤٠٠٤٤'],
    ['with look-alikes', 'write to trustme@gmail.com', 'trustme@gmаil.com'],
    ['with invisible characters', 'write to trust\u200Bme@gmail.com', 'trustme@gmail.com'],
    ['in base64', 'aHR0cHM6Ly93d3cuZXZpbC5leGFtcGxlL2E=', 'https://www.evil.example/a'],
    ['in percent signs', '%74%72%75%73%74%6d%65%40%67%6d%61%69%6c%2e%63%6f%6d', 'trustme@gmail.com'],
    ['in entities', '&#116;&#114;&#117;stme@gmail.com', 'trustme@gmail.com'],
    ['as a part of a longer text', 'the quick brown fox jumps', 'see: quick brown fox, he said'],
  ])('%s', (_, text, value) => expect(indexOf(text).find(value)?.source).toMatchObject({ pointer: '/text' }));

  test('assembled from two results', () => {
    expect(indexOf('first half: DE8937', 'second half: 040044').find('DE8937040044')).toBeDefined();
    expect(indexOf('first half: DE8937').find('DE8937040044')).toBeUndefined();
  });

  test('as a key', () => {
    const index = new ValueIndex();
    index.add(origin, { DE8937040044: 1 }, how);
    expect(index.find('DE8937040044')).toBeDefined();
  });

  test('as an amount in words', () => {
    expect(indexOf('send two hundred and fifty dollars').findAmount('250')).toBeDefined();
    expect(indexOf('send 1,235.60 today').findAmount('1235.6')).toBeDefined();
    expect(indexOf('send 12 today').findAmount('250')).toBeUndefined();
  });
});

test('a value that was never shown is not found', () => {
  expect(indexOf('hello world').find('DE8937040044')).toBeUndefined();
});

test('any twelve letters or digits in a row are found', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abcdefghjkmn 2346.,-'), minLength: 12, maxLength: 80 });
  fc.assert(
    fc.property(text, fc.nat(), (shown, from) => {
      const squeezed = squeeze(shown);
      fc.pre(squeezed.length >= 12);
      const start = from % (squeezed.length - 11);
      expect(indexOf(shown).find(`zz ${squeezed.slice(start, start + 12)}`)).toBeDefined();
    }),
  );
});

test('feeding more never loses a value, and an overflow only makes it stricter', () => {
  const texts = fc.array(fc.string({ minLength: 3, maxLength: 60 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(texts, fc.string({ minLength: 3, maxLength: 20 }), (shown, value) => {
      const index = new ValueIndex();
      const small = new ValueIndex({ maxBytes: 24_000 });
      let wasFound = false;
      for (const it of shown) {
        index.add(origin, it, how);
        small.add(origin, it, how);
        const isFound = index.find(value) !== undefined;
        if (wasFound) expect(isFound).toBe(true);
        if (isFound) expect(small.find(value)).toBeDefined();
        wasFound = isFound;
      }
    }),
  );
});

test('the index stays within its memory, and says when it is incomplete', () => {
  const index = new ValueIndex({ maxBytes: 1_000_000 });
  for (let at = 0; at < 400; at++) index.add(origin, `${at} `.repeat(1000), how);
  expect(index.isComplete).toBe(false);
  expect(index.bytes).toBeLessThanOrEqual(1_000_000);
  expect(index.find('never shown')).toEqual({ source: undefined, quote: undefined });
});
