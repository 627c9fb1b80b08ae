import { expect, test } from 'vitest';
import type { JsonObject } from '../model/json.js';
import { endlessReference, explodes } from './schema-cycle.js';

test.each([
  ['itself', { $ref: '#' }, ['$ref']],
  ['itself through allOf', { allOf: [{ $ref: '#' }] }, ['allOf', 0, '$ref']],
  [
    'two definitions',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } },
    ['$defs', 'a', '$ref', 'anyOf', 0, '$ref'],
  ],
  [
    'through not',
    { properties: { x: { not: { $ref: '#/properties/x' } } } },
    ['properties', 'x', 'not', '$ref'],
  ],
])('%s', (_name, schema, path) => {
  expect(endlessReference(schema)).toEqual(path);
});

test.each([
  ['a tree', { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }],
  ['a list', { $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } }, $ref: '#/$defs/node' }],
  [
    'one definition used twice',
    { $defs: { n: { type: 'number' } }, allOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }] },
  ],
  ['an anchor', { $ref: '#name' }],
  ['nothing', true],
])('%s ends', (_name, schema) => {
  expect(endlessReference(schema)).toBeNull();
});

test('definitions that double at every step are found, and quickly', () => {
  const $defs: Record<string, JsonObject> = { a60: { type: 'string' } };
  for (let step = 0; step < 60; step++) {
    const next = { $ref: `#/$defs/a${step + 1}` };
    $defs[`a${step}`] = { allOf: [next, next] };
  }
  expect(explodes({ $defs, $ref: '#/$defs/a0' })).toBe(true);
  expect(
    explodes({
      $defs: { n: { type: 'number' } },
      properties: { a: { $ref: '#/$defs/n' }, b: { $ref: '#/$defs/n' } },
    }),
  ).toBe(false);
});
