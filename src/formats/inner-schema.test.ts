import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, type Json } from '../model/json.js';
import { parseJson } from './document/json.js';
import { checkInnerSchema } from './inner-schema.js';
import { Report } from './report.js';

function check(schema: Json): { valid: boolean; diagnostics: string[] } {
  const document = parseJson(JSON.stringify({ parameters: schema }));
  const report = new Report('manifest.json', document, {});
  const valid = checkInnerSchema(report, schema, ['parameters']);
  return { valid, diagnostics: report.diagnostics.map((it) => `${it.pointer} ${it.code}`) };
}

describe('invalid schemas are reported', () => {
  test.each<[Json, string]>([
    ['object', '/parameters inner-schema.invalid'],
    [{ type: 'objct' }, '/parameters/type inner-schema.invalid'],
    [{ type: [] }, '/parameters/type inner-schema.invalid'],
    [{ type: ['string', 'string'] }, '/parameters/type inner-schema.invalid'],
    [{ properties: { a: 'string' } }, '/parameters/properties/a inner-schema.invalid'],
    [{ properties: [] }, '/parameters/properties inner-schema.invalid'],
    [{ items: [{}] }, '/parameters/items inner-schema.invalid'],
    [{ required: ['a', 'a'] }, '/parameters/required inner-schema.invalid'],
    [{ required: 'a' }, '/parameters/required inner-schema.invalid'],
    [{ minLength: -1 }, '/parameters/minLength inner-schema.invalid'],
    [{ minLength: 1.5 }, '/parameters/minLength inner-schema.invalid'],
    [{ multipleOf: 0 }, '/parameters/multipleOf inner-schema.invalid'],
    [{ enum: 'a' }, '/parameters/enum inner-schema.invalid'],
    [{ allOf: [] }, '/parameters/allOf inner-schema.invalid'],
    [{ pattern: '(' }, '/parameters/pattern inner-schema.invalid'],
    [{ patternProperties: { '(': {} } }, '/parameters/patternProperties inner-schema.invalid'],
    [{ $id: 'a#b' }, '/parameters/$id inner-schema.invalid'],
    [{ $anchor: '1' }, '/parameters/$anchor inner-schema.invalid'],
    [{ $ref: 'other.json' }, '/parameters/$ref inner-schema.remote-ref'],
    [{ $ref: 'https://example.com/#/a' }, '/parameters/$ref inner-schema.remote-ref'],
    [{ $dynamicRef: 'https://example.com/#a' }, '/parameters/$dynamicRef inner-schema.remote-ref'],
    [{ $ref: '#' }, '/parameters/$ref inner-schema.invalid'],
    [{ $ref: '#/$defs/a' }, '/parameters/$ref inner-schema.invalid'],
    [{ $ref: '#/constructor' }, '/parameters/$ref inner-schema.invalid'],
    [{ $defs: { a: 1 }, $ref: '#/$defs/a' }, '/parameters/$defs/a inner-schema.invalid'],
    [{ contentSchema: { not: { if: 3 } } }, '/parameters/contentSchema/not/if inner-schema.invalid'],
    [{ description: 'x'.repeat(70_000) }, '/parameters inner-schema.too-large'],
  ])('%j', (schema, expected) => {
    const { valid, diagnostics } = check(schema);
    expect(valid).toBe(false);
    expect(diagnostics).toContain(expected);
  });

  test('the nesting is limited', () => {
    const nested = (depth: number): Json => (depth === 0 ? {} : { not: nested(depth - 1) });
    expect(check(nested(32)).valid).toBe(true);
    expect(check(nested(33)).diagnostics[0]).toContain('inner-schema.too-large');
  });
});

describe('valid schemas are accepted', () => {
  test.each<Json>([
    true,
    {},
    { type: ['object', 'null'], properties: { a: true, b: { type: 'integer', minimum: -1.5 } } },
    { $defs: { 'a/b~c': {} }, $ref: '#/$defs/a~1b~0c' },
    { properties: { a: { $ref: '#' } } },
  ])('%j', (schema) => {
    expect(check(schema)).toEqual({ valid: true, diagnostics: [] });
  });

  test.each(['^(?!a)', '(?<=a)b', '(a)\\1', '(?<n>a)\\k<n>'])(
    'the pattern %s is allowed with a warning',
    (pattern) => {
      expect(check({ pattern })).toEqual({
        valid: true,
        diagnostics: ['/parameters/pattern inner-schema.regex'],
      });
      const keyed = check({ patternProperties: { [pattern]: {} } });
      expect(keyed.valid).toBe(true);
      expect(keyed.diagnostics).toHaveLength(1);
    },
  );
});

describe('compared with the meta-schema of JSON Schema 2020-12', () => {
  const ajv = new Ajv2020.default({ strict: false, logger: false });
  addFormats.default(ajv);
  const keywords = (
    '$id $anchor $comment $defs definitions $vocabulary prefixItems items contains additionalProperties properties ' +
    'patternProperties dependentSchemas propertyNames if then else allOf anyOf oneOf not unevaluatedItems ' +
    'unevaluatedProperties type const enum multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength ' +
    'minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required ' +
    'dependentRequired dependencies title description default deprecated readOnly writeOnly examples format ' +
    'contentEncoding contentMediaType contentSchema unheardOf'
  ).split(' ');
  const scalar = fc.constantFrom<Json>(
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    3,
    '',
    'a',
    'object',
    'string',
    '[',
    '^a$',
    'x#y',
    'x#',
  );
  const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json; schema: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(fc.oneof(scalar, tie('schema')), { maxLength: 3 }) as fc.Arbitrary<Json>,
      fc.dictionary(
        fc.constantFrom('a', 'b', '(', '^a'),
        fc.oneof(scalar, tie('schema'), fc.array(scalar, { maxLength: 2 }) as fc.Arbitrary<Json>),
        { maxKeys: 2 },
      ) as fc.Arbitrary<Json>,
      tie('schema'),
    ),
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.boolean() as fc.Arbitrary<Json>,
      fc.dictionary(fc.constantFrom(...keywords), tie('value'), { maxKeys: 3 }) as fc.Arbitrary<Json>,
    ),
  })).schema;

  /**
   * Where the two are meant to differ. `$id` and `$vocabulary`: the compiler also asserts the format of the
   * URL. `pattern` and the names under `patternProperties`: it does not assert that they are regular
   * expressions, and we do.
   */
  const differs = (schema: Json): boolean =>
    containsMember(schema, (key, it) => {
      if (key === '$id' || key === '$vocabulary') return true;
      if (key === 'pattern') return it === '[';
      return key === 'patternProperties' && isObject(it) && Object.hasOwn(it, '(');
    });

  test('any schema has the same result', () => {
    let valid = 0;
    let invalid = 0;
    fc.assert(
      fc.property(value, (schema) => {
        fc.pre(!differs(schema));
        const expected = ajv.validateSchema(schema as never) === true;
        if (expected) valid++;
        else invalid++;
        expect(check(schema).valid, JSON.stringify(schema)).toBe(expected);
      }),
      { numRuns: 6000 },
    );
    // The comparison is useful only if both results occur.
    expect(Math.min(valid, invalid)).toBeGreaterThan(200);
  });
});

function containsMember(value: Json, matches: (key: string, value: Json) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, it]) => matches(key, it as Json) || containsMember(it as Json, matches),
  );
}
