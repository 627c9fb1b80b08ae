import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.js';
import { declaredMembers, lookUp } from './input-schema.js';

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

describe('lookUp', () => {
  test.each([
    ['id', 'certain'],
    ['limit', 'certain'],
    ['note', 'optional'],
    ['place', 'certain'],
    ['place.city', 'certain'],
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
  ])('%s is %s', (path, presence) => {
    expect(lookUp(schema, path.split('.')).presence).toBe(presence);
  });

  test.each<[string, JsonObject, string]>([
    ['an empty schema', {}, 'unknown'],
    ['an open schema', { additionalProperties: true }, 'possible'],
    ['a typed open schema', { additionalProperties: { type: 'string' } }, 'possible'],
    ['a closed schema', { additionalProperties: false }, 'unknown'],
    ['patterns', { patternProperties: { '^x': {} } }, 'possible'],
    ['allOf', { allOf: [{ properties: { x: {} }, required: ['x'] }] }, 'certain'],
    ['anyOf', { anyOf: [{ properties: { x: {} }, required: ['x'] }, {}] }, 'optional'],
    ['else', { if: {}, else: { properties: { x: {} } } }, 'optional'],
    ['a reference that leads nowhere', { $ref: '#/$defs/none' }, 'possible'],
    ['a reference to itself', { $ref: '#' }, 'possible'],
    ['wrong types', { properties: [], required: 3, allOf: {} }, 'unknown'],
  ])('%s', (_, input, presence) => {
    expect(lookUp(input, ['x']).presence).toBe(presence);
  });

  test('says which names are known where the path goes wrong', () => {
    expect(lookUp(schema, ['place', 'town']).known).toEqual(['city', 'street', 'part']);
  });
});

test('declaredMembers', () => {
  expect(declaredMembers({ properties: { a: {} }, allOf: [{ properties: { b: {} } }] })).toEqual(['a', 'b']);
});
