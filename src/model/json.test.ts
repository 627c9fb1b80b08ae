import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, isDeeperThan, isObject, type Json } from './json.js';

/** The definition of the canonical form, without the optimization. */
function reference(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(reference).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${reference(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}

test('equal values have the same canonical text, whether or not their keys are sorted', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const sorted = JSON.parse(reference(value as Json)) as Json;
      expect(canonicalJson(value as Json)).toBe(reference(value as Json));
      expect(canonicalJson(sorted)).toBe(reference(value as Json));
    }),
    { numRuns: 500 },
  );
});

test.each<[string, Json]>([
  ['{"10":1,"9":2}', { 9: 2, 10: 1 }],
  ['{"a":{"b":1,"c":2},"d":[{"x":1,"y":2}]}', { d: [{ y: 2, x: 1 }], a: { c: 2, b: 1 } }],
  ['{"toJSON":"a member like any other"}', { toJSON: 'a member like any other' }],
  ['"\\ud800"', '\ud800'],
  ['0', -0],
])('the canonical text %s', (text, value) => {
  expect(canonicalJson(value)).toBe(text);
});

test('depth counts nested objects and arrays, however deep they are', () => {
  expect(isDeeperThan('text', 0)).toBe(false);
  expect(isDeeperThan([], 0)).toBe(true);
  expect(isDeeperThan({ a: [1, { b: null }] }, 3)).toBe(false);
  expect(isDeeperThan({ a: [1, { b: [] }] }, 3)).toBe(true);
  let deep: Json = [];
  for (let depth = 1; depth < 100_000; depth++) deep = [deep];
  expect([isDeeperThan(deep, 99_999), isDeeperThan(deep, 100_000)]).toEqual([true, false]);
});
