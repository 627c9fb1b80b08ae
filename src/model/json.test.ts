import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, isObject, type Json } from './json.js';

/** The definition, word for word, without the short way. */
function plain(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(plain).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${plain(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}

test('there is one spelling, whether or not the members are in order already', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const sorted = JSON.parse(plain(value as Json)) as Json;
      expect(canonicalJson(value as Json)).toBe(plain(value as Json));
      expect(canonicalJson(sorted)).toBe(plain(value as Json));
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
])('%s', (text, value) => {
  expect(canonicalJson(value)).toBe(text);
});
