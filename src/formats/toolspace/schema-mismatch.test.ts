import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../model/json.js';
import { findMismatch } from './schema-mismatch.js';

const open = { additionalProperties: true };

describe('findMismatch', () => {
  test.each<[JsonObject, Json, string]>([
    [{ type: 'object' }, [], 'it is [], not of type object'],
    [{ type: ['string', 'null'] }, 3, 'it is 3, not of type string or null'],
    [{ type: 'integer' }, 1.5, 'it is 1.5, not of type integer'],
    [{ enum: ['a', { b: 1 }] }, 'c', 'it is "c", which is not one of the allowed values'],
    [{ const: [1] }, [2], 'it is [2], not [1]'],
    [{ required: ['a'] }, {}, '"a" is missing'],
    [{ properties: { a: { required: ['b'] } } }, { a: {} }, '"b" is missing in "a"'],
    [{ properties: { a: { type: 'string' } } }, { a: 1 }, '"a" is 1, not of type string'],
    [{ properties: { a: false } }, { a: 1 }, '"a" is not allowed'],
    [{ properties: { a: {} } }, { b: 1 }, '"b" is not declared in the schema'],
    [
      { ...open, properties: { a: { properties: {} } } },
      { a: { b: 1 } },
      '"b" is not declared in the schema',
    ],
    [{ additionalProperties: { type: 'string' } }, { b: 1 }, '"b" is 1, not of type string'],
    [{ items: { type: 'string' } }, ['a', 1], '"1" is 1, not of type string'],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'null' } }, ['a', 1], '"1" is 1, not of type null'],
    [{ minLength: 2 }, '😀', 'it is below its minLength of 2'],
    [{ maxItems: 1 }, [1, 2], 'it is above its maxItems of 1'],
    [{ minProperties: 1 }, {}, 'it is below its minProperties of 1'],
    [{ maximum: 3 }, 4, 'it is above its maximum of 3'],
    [{ exclusiveMaximum: 3 }, 3, 'it is above its exclusiveMaximum of 3'],
    [{ exclusiveMinimum: 3 }, 3, 'it is below its exclusiveMinimum of 3'],
    [{ allOf: [{ type: 'string' }] }, 1, 'it is 1, not of type string'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, 'it matches none of the alternatives'],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, 1, 'it is 1, not of type string'],
  ])('%j rejects %j: %s', (schema, value, reason) => {
    expect(findMismatch(schema, value, true)?.reason).toBe(reason);
  });

  test.each<[JsonObject, Json]>([
    [{}, 1],
    [{ required: ['a'], properties: { a: { default: 1 } } }, {}],
    [{ properties: { a: {} }, patternProperties: { b: {} } }, { b: 1 }],
    [
      { properties: { a: {} }, allOf: [{ properties: { b: {} } }] },
      { a: 1, b: 1 },
    ],
    [{ pattern: '^a' }, 'b'],
    [{ format: 'uri' }, 'b'],
    [{ not: {} }, 'b'],
    [{ oneOf: [{}, {}] }, 'b'],
    [{ $ref: '#' }, 1],
    [{ $ref: 'https://example.com' }, 1],
    [{ anyOf: [{ $ref: '#' }, { $ref: '#' }] }, 1],
    [{ type: 'strange' }, 1],
    [{ type: 7, enum: 7, required: 7, items: 7, minimum: 'x' } as unknown as JsonObject, [1]],
  ])('%j reports no mismatch for %j', (schema, value) => {
    expect(findMismatch(schema, value, true)).toBeUndefined();
  });

  test('undeclared members are accepted when closed is false', () => {
    expect(findMismatch({ properties: { a: {} } }, { b: 1 }, false)).toBeUndefined();
  });
});
