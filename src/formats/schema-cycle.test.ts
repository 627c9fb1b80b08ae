import { expect, test } from 'vitest';
import { endlessReference } from './schema-cycle.js';

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
