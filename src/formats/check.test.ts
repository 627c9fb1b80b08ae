import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../model/json.js';
import { checkFields, checkSchema, pathName, show } from './check.js';
import { parseJson } from './document/json.js';
import { Report } from './report.js';

function check(schema: JsonObject, value: Json): string[] {
  const ajv = new Ajv2020.default({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const document = parseJson(JSON.stringify(value));
  const report = new Report('x.json', document, { 'patch.input-name': 'error' });
  const valid = checkSchema(report, document, { schema, validate: ajv.compile(schema) });
  checkFields(report, document.value, schema);
  expect(valid).toBe(
    !report.diagnostics.some((it) => it.severity === 'error' && it.code !== 'field.near-miss'),
  );
  for (const it of report.diagnostics) {
    if (['schema.type', 'schema.const', 'schema.length', 'schema.count', 'schema.range'].includes(it.code))
      expect(it.hint).toBeDefined();
  }
  // The default hints do not depend on the value.
  const defaultHints = [
    'use a value of this type',
    'use exactly this value',
    'change its length',
    'add or remove entries',
    'use a value within the limits',
    'remove the duplicate',
  ];
  return report.diagnostics.map(({ pointer, code, message, hint }) => {
    const shown = hint === undefined || defaultHints.includes(hint) ? '' : ` (${hint})`;
    return `${pointer} ${code}: ${message}${shown}`;
  });
}

const property = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { a: schema } });

describe('each kind of schema error has a message and a hint', () => {
  test.each<[JsonObject, Json, string]>([
    [{ type: 'string' }, 1, '/a schema.type: a must be a string, not an integer (put it in quotes: "1")'],
    [{ type: 'string' }, null, '/a schema.type: a must be a string, not null'],
    [{ type: ['string', 'number'] }, [], '/a schema.type: a must be a string or a number, not a list'],
    [{ type: 'boolean' }, 'x', '/a schema.type: a must be a boolean, not a string'],
    [{ const: 'x' }, 'y', '/a schema.const: a must be "x", not "y"'],
    [{ type: 'string', pattern: '^x$' }, 'y', '/a schema.pattern: a "y" does not match ^x$'],
    [
      { type: 'string', pattern: '^x$', 'x-toolwharf': { form: 'an x', hint: 'write x' } },
      'y',
      '/a schema.pattern: a "y" is not an x (write x)',
    ],
    [{ type: 'string', format: 'uri' }, 'y', '/a schema.format: a "y" is not a URL with a scheme'],
    [{ type: 'string', minLength: 1 }, '', '/a schema.length: a is empty (write at least 1 character)'],
    [{ type: 'string', maxLength: 2 }, 'abc', '/a schema.length: a has 3 characters; it must have at most 2'],
    [
      { type: 'string', maxLength: 2 },
      '\u{1F600}\u{1F600}\u{1F600}',
      '/a schema.length: a has 3 characters; it must have at most 2',
    ],
    [{ type: 'array', minItems: 1 }, [], '/a schema.count: a has 0 entries; it must have at least 1'],
    [{ type: 'array', maxItems: 1 }, [1, 2], '/a schema.count: a has 2 entries; it must have at most 1'],
    [{ type: 'object', minProperties: 1 }, {}, '/a schema.count: a has 0 entries; it must have at least 1'],
    [{ type: 'number', minimum: 3 }, 2, '/a schema.range: a is 2; it must be >= 3'],
    [{ type: 'number', multipleOf: 3 }, 2, '/a schema.range: a is 2; it must be a multiple of 3'],
    [
      { type: 'array', uniqueItems: true },
      [1, 1],
      '/a/1 schema.duplicate-item: a contains the same entry twice',
    ],
    [
      { type: 'object', dependentRequired: { b: ['c'] } },
      { b: 1 },
      '/a schema.required: "c" is missing; "b" requires it',
    ],
    [
      { type: 'string', maxLength: 1, 'x-toolwharf': { code: 'patch.input-name' } },
      'ab',
      '/a patch.input-name: a has 2 characters; it must have at most 1',
    ],
    [
      { type: 'object', additionalProperties: false, properties: { name: {} } },
      { nmae: 1 },
      '/a/nmae schema.closed: unknown field "nmae" in a (did you mean "name"?)',
    ],
    [
      { type: 'object', additionalProperties: false, properties: {} },
      { zz: 1 },
      '/a/zz schema.closed: unknown field "zz" in a (remove it: this object does not allow other fields)',
    ],
    [
      { type: 'object', required: ['name'], properties: { name: {} } },
      {},
      '/a schema.required: "name" is missing in a (add "name")',
    ],
  ])('%j with %j', (schema, value, expected) => {
    expect(check(property(schema), { a: value }).filter((it) => !it.includes('field.unknown'))).toContain(
      expected,
    );
  });

  test('an unknown enum value comes with a suggestion', () => {
    const [only] = check(property({ enum: ['shell', 'http'] }), { a: 'shel' });
    expect(only).toMatch(/unknown a "shel".*did you mean "shell"\?/);
  });

  test('a failed condition is reported with one message, not three', () => {
    const schema = JSON.parse(
      '{"type":"object","if":{"properties":{"kind":{"const":"x"}}},"then":{"required":["url"]}}',
    );
    expect(check(schema, { kind: 'x' })).toEqual([' schema.required: "url" is missing (add "url")']);
  });
});

describe('unknown fields of objects that allow them are reported', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      name: {},
      human_confirm: { 'x-toolwharf': { safety: true } },
      list: { type: 'array', items: { $ref: '#/$defs/entry' } },
      free: { type: 'object', properties: { a: {} }, additionalProperties: true },
      map: { type: 'object', additionalProperties: { $ref: '#/$defs/entry' } },
    },
    $defs: {
      entry: { type: 'object', properties: { kind: {}, tainted_ok: { 'x-toolwharf': { safety: true } } } },
    },
  };

  test.each<[Json, string[]]>([
    [{ name: 1, zz: 1 }, ['/zz field.unknown: unknown field "zz" (remove it: it has no effect)']],
    [{ nmae: 1 }, ['/nmae field.unknown: unknown field "nmae" (did you mean "name"?)']],
    [
      { list: [{ kind: 1 }, { knid: 1 }] },
      ['/list/1/knid field.unknown: unknown field "knid" in list[1] (did you mean "kind"?)'],
    ],
    [{ free: { zz: 1 } }, []],
    [
      { map: { zz: { yy: 1 } } },
      ['/map/zz/yy field.unknown: unknown field "yy" in map.zz (remove it: it has no effect)'],
    ],
    [
      { constructor: 1 },
      ['/constructor field.unknown: unknown field "constructor" (remove it: it has no effect)'],
    ],
  ])('%j', (value, expected) => {
    expect(check(schema, value)).toEqual(expected);
  });

  test.each([
    'human_confirmed',
    'humanConfirm',
    'human-confirm',
    'human_confirm_required',
    'require_human_confirm',
    'HUMAN_CONFIRM',
  ])('%s is similar to a safety field, so it is an error', (key) => {
    expect(check(schema, { [key]: true })[0]).toMatch(/field\.near-miss/);
  });

  test.each(['tainted_okay', 'taintedOk', 'tainted'])(
    '%s inside a list is similar to a safety field too',
    (key) => {
      const [only] = check(schema, { list: [{ [key]: true }] });
      expect(only).toMatch(key === 'tainted' ? /field\.(?:near-miss|unknown)/ : /field\.near-miss/);
    },
  );
});

test('keys that look like escape sequences are not decoded', () => {
  const schema: JsonObject = { type: 'object', additionalProperties: { type: 'string' } };
  expect(check(schema, { '%FF': 1, '%41': 1, 'a/b~c': 1 }).map((it) => it.split(' ')[0])).toEqual([
    '/%FF',
    '/%41',
    '/a~1b~0c',
  ]);
});

test('paths and values are shortened for messages', () => {
  expect(pathName([])).toBe('the manifest');
  expect(pathName(['inputs', 0, 'name'])).toBe('inputs[0].name');
  expect(show('x'.repeat(1000))).toHaveLength(58);
  expect(show(undefined)).toBe('nothing');
});
