import { expect, test } from 'vitest';
import type { JsonObject } from '../model/json.js';
import { findCyclicReference, isTooExpensive } from './schema-cycle.js';

test.each([
  ['a reference to itself', { $ref: '#' }, ['$ref']],
  ['a reference to itself through allOf', { allOf: [{ $ref: '#' }] }, ['allOf', 0, '$ref']],
  [
    'a pair of definitions',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } },
    ['$defs', 'a', '$ref', 'anyOf', 0, '$ref'],
  ],
  [
    'a reference through not',
    { properties: { x: { not: { $ref: '#/properties/x' } } } },
    ['properties', 'x', 'not', '$ref'],
  ],
])('%s is a cyclic reference', (_name, schema, path) => {
  expect(findCyclicReference(schema)).toEqual(path);
});

test.each([
  ['a tree', { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }],
  ['a list', { $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } }, $ref: '#/$defs/node' }],
  [
    'one definition used twice',
    { $defs: { n: { type: 'number' } }, allOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }] },
  ],
  ['an anchor', { $ref: '#name' }],
  ['the schema true', true],
])('%s is not a cyclic reference', (_name, schema) => {
  expect(findCyclicReference(schema)).toBeNull();
});

test('definitions that double at every step are detected quickly', () => {
  const $defs: Record<string, JsonObject> = { a60: { type: 'string' } };
  for (let step = 0; step < 60; step++) {
    const next = { $ref: `#/$defs/a${step + 1}` };
    $defs[`a${step}`] = { allOf: [next, next] };
  }
  expect(isTooExpensive({ $defs, $ref: '#/$defs/a0' })).toBe(true);
  expect(
    isTooExpensive({
      $defs: { n: { type: 'number' } },
      properties: { a: { $ref: '#/$defs/n' }, b: { $ref: '#/$defs/n' } },
    }),
  ).toBe(false);
});
