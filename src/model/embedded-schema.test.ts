import { expect, test } from 'vitest';
import { dialectOf, embeddedSchema } from './embedded-schema.js';

test('references to parts of a schema lead to their new place', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    properties: { next: { $ref: '#' }, row: { $ref: '#/$defs/row' }, other: { $ref: 'https://x.example/s' } },
    $defs: { row: { anyOf: [{ $dynamicRef: '#/$defs/row' }, { $ref: '#anchor' }] } },
  };
  expect(embeddedSchema(schema, '/items')).toEqual({
    properties: {
      next: { $ref: '#/items' },
      row: { $ref: '#/items/$defs/row' },
      other: { $ref: 'https://x.example/s' },
    },
    $defs: { row: { anyOf: [{ $dynamicRef: '#/items/$defs/row' }, { $ref: '#anchor' }] } },
  });
  expect(dialectOf(schema)).toEqual({ $schema: schema.$schema });
  expect(dialectOf({})).toEqual({});
});

test('data, and parts that are documents of their own, stay as they are', () => {
  const schema = {
    const: { $ref: '#' },
    default: [{ $ref: '#/a' }],
    properties: { default: { $ref: '#' }, own: { $id: 'https://x.example/own', $ref: '#/b' } },
  };
  expect(embeddedSchema(schema, '/items')).toEqual({
    ...schema,
    properties: { ...schema.properties, default: { $ref: '#/items' } },
  });
});
