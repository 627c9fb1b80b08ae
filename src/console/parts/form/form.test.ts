import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../model/json.js';
import { finished, Unfinished } from './draft.js';
import { fieldShape } from './field-shape.js';
import { parseJsonText } from './json-text.js';
import { branchOf, fits, initialValue } from './schema-fit.js';
import { limitsText } from './schema-limits.js';

describe('JSON that a person types', () => {
  test.each([
    ['{"a": [1, -2.5e3, true, null, "\\u00e9\\n"]}', { a: [1, -2500, true, null, 'é\n'] }],
    [' "x" ', 'x'],
    ['[]', []],
  ])('%s is read', (text, value) => {
    expect(parseJsonText(text)).toEqual({ value });
  });

  test.each([
    ['{"a": 1,}', 1, 9, 'a key in double quotes'],
    ['{\n  "a" 1\n}', 2, 7, '":"'],
    ['[1 2]', 1, 4, 'expected "," or "]"'],
    ['{"a": 1, "a": 2}', 1, 10, 'twice'],
    ['{"a": 12345678901234567890}', 1, 7, 'cannot be represented exactly'],
    ['{"a": 1} x', 1, 10, 'more text'],
    ['[01]', 1, 3, 'expected "," or "]"'],
    ['"a\nb"', 1, 1, 'not closed'],
    ['', 1, 1, 'ends too early'],
    [`${'['.repeat(500)}`, 1, 202, 'too deeply'],
  ])('the first mistake of %s is at its place', (text, line, column, problem) => {
    expect(parseJsonText(text)).toMatchObject({ line, column, problem: expect.stringContaining(problem) });
  });
});

describe('the shape of a form', () => {
  const shape = (schema: JsonSchema) => fieldShape(schema, schema);
  const kinds = (schema: JsonSchema) => {
    const found = shape(schema);
    return found.kind === 'choice' ? found.branches.map((it) => it.title) : found.kind;
  };

  test.each<[string, JsonSchema, unknown]>([
    ['a text', { type: 'string' }, 'text'],
    ['a constant', { const: 'x' }, 'enum'],
    ['constants with titles', { oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }, 'enum'],
    ['a nullable number', { type: ['number', 'null'] }, ['number', 'null']],
    ['alternatives', { anyOf: [{ type: 'string' }, { type: 'array', items: {} }] }, ['text', 'list']],
    [
      'alternatives that a constant tells apart',
      { oneOf: [{ properties: { by: { const: 'card' } } }, { properties: { by: { const: 'mail' } } }] },
      ['by: card', 'by: mail'],
    ],
    [
      'alternatives that only require members',
      { type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      'object',
    ],
    ['a reference', { $defs: { x: { type: 'boolean' } }, $ref: '#/$defs/x' }, 'boolean'],
    ['a reference to nothing', { $ref: '#/$defs/x' }, 'json'],
    ['a reference to elsewhere', { $ref: 'https://example.com/x' }, 'json'],
    ['a reference to itself', { $ref: '#' }, 'json'],
    ['both of two schemas', { allOf: [{ type: 'string' }, { maxLength: 3 }] }, 'text'],
    ['anything', true, 'json'],
    ['a schema without a type', { description: 'x' }, 'json'],
  ])('%s', (_, schema, kind) => {
    expect(kinds(schema)).toEqual(kind);
  });

  test('members of all parts of a schema are shown, required ones are marked, and others only if allowed', () => {
    const found = shape({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a', 'c'],
      allOf: [{ properties: { b: { type: 'number' }, a: { maxLength: 2 } }, required: ['b'] }],
      additionalProperties: false,
    });
    if (found.kind !== 'object') throw new Error(found.kind);
    expect(found.members.map((it) => [it.name, it.isRequired])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
    ]);
    expect(found.more).toBe(false);
    const [a] = found.members;
    expect(a && limitsText(fieldShape(true, a.schema))).toBe('at most 2 characters');
    expect(limitsText(fieldShape(true, { type: 'array', minItems: 1 }))).toBe('at least 1 item');
  });

  test('a recursive schema starts with what has to be there, and ends', () => {
    const schema = {
      $defs: { node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } } },
      $ref: '#/$defs/node',
    };
    expect(JSON.stringify(initialValue(schema, schema)).length).toBeLessThan(200);
  });

  test('a value that has another form than the schema says does not fit', () => {
    const schema = { type: 'object', properties: { a: {} }, additionalProperties: false } as const;
    expect(fits(schema, shape(schema), { a: 1 })).toBe(true);
    expect(fits(schema, shape(schema), { b: 1 })).toBe(false);
    expect(fits(schema, shape(schema), [])).toBe(false);
    expect(fits({}, shape({ type: 'string' }), 1)).toBe(false);
    expect(fits({}, shape({ enum: ['a'] }), 'b')).toBe(false);
  });

  test('a value belongs to the alternative whose constant it has', () => {
    const schema: JsonSchema = {
      oneOf: [
        { type: 'object', properties: { by: { const: 'card' }, x: { type: 'string' } } },
        { type: 'object', properties: { by: { const: 'mail' }, x: { type: 'string' } } },
      ],
    };
    const found = shape(schema);
    if (found.kind !== 'choice') throw new Error(found.kind);
    expect(branchOf(schema, found.branches, { by: 'mail', x: '' })).toBe(1);
    expect(branchOf(schema, found.branches, { by: 'card', x: '' })).toBe(0);
  });

  test('what is not finished has no value, and its place is known', () => {
    const draft = { a: [1, new Unfinished('1.', 'This is not a number.')], 'b/c': new Unfinished('{', 'no') };
    expect(finished(draft).problems).toEqual([
      { pointer: '/a/1', message: 'This is not a number.' },
      { pointer: '/b~1c', message: 'no' },
    ]);
  });

  test('names of members never reach the prototype', () => {
    const draft = JSON.parse('{"__proto__": {"x": 1}}');
    const { value } = finished(draft);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
