import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.js';
import { declaredMembers, lookUpInput } from './input-schema.js';

const schema: JsonObject = {
  type: 'object',
  required: ['id', 'place'],
  properties: {
    id: { type: 'string' },
    limit: { type: 'integer', default: 5 },
    note: { type: 'string' },
    place: { $ref: '#/$defs/place' },
    tags: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    anything: {},
  },
  $defs: {
    place: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, street: { type: 'string' }, part: { $ref: '#/$defs/place' } },
    },
  },
};

describe('lookUpInput', () => {
  test.each([
    ['id', 'always'],
    ['limit', 'always'],
    ['note', 'optional'],
    ['place', 'always'],
    ['place.city', 'always'],
    ['place.street', 'optional'],
    ['place.part.part.city', 'optional'],
    ['place.country', 'unknown'],
    ['tags.0.name', 'optional'],
    ['tags.first', 'unknown'],
    ['anything.at.all', 'possible'],
    ['id.length', 'unknown'],
    ['ids', 'unknown'],
    ['constructor', 'unknown'],
    ['__proto__', 'unknown'],
  ])('the presence of %s is %s', (path, presence) => {
    expect(lookUpInput(schema, path.split('.')).presence).toBe(presence);
  });

  test.each<[string, JsonObject, string]>([
    ['an empty schema', {}, 'unknown'],
    ['an open schema', { additionalProperties: true }, 'possible'],
    ['a typed open schema', { additionalProperties: { type: 'string' } }, 'possible'],
    ['a closed schema', { additionalProperties: false }, 'unknown'],
    ['patterns', { patternProperties: { '^x': {} } }, 'possible'],
    ['allOf', { allOf: [{ properties: { x: {} }, required: ['x'] }] }, 'always'],
    ['anyOf', { anyOf: [{ properties: { x: {} }, required: ['x'] }, {}] }, 'optional'],
    ['else', { if: {}, else: { properties: { x: {} } } }, 'optional'],
    ['a reference to a missing definition', { $ref: '#/$defs/none' }, 'possible'],
    ['a reference to itself', { $ref: '#' }, 'possible'],
    ['wrong types', { properties: [], required: 3, allOf: {} }, 'unknown'],
  ])('the lookup in %s is correct', (_, input, presence) => {
    expect(lookUpInput(input, ['x']).presence).toBe(presence);
  });

  test('returns the names that exist where the path fails', () => {
    expect(lookUpInput(schema, ['place', 'town']).known).toEqual(['city', 'street', 'part']);
  });
});

test('declaredMembers includes members of composed schemas', () => {
  expect(declaredMembers({ properties: { a: {} }, allOf: [{ properties: { b: {} } }] })).toEqual(['a', 'b']);
});
