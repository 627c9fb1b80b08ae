import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject, JsonSchema } from '../../model/json.js';
import { inputValidator, outputValidator } from '../../schema/validator.js';
import { withFixed } from './fixed-arguments.js';
import { type CheckValue, fixedProblems, namesOfInputs, withoutFixed } from './fixed-schema.js';

const check: CheckValue = (schema, value) => {
  const checked = outputValidator(schema).check(value);
  return checked.ok ? [] : checked.errors;
};
const accepts = (schema: JsonSchema, value: Json) => inputValidator(schema).check(value).ok;

/** As a computed name, because an object with this member looks like a promise. */
const then = 'then';

const issue: JsonSchema = {
  type: 'object',
  title: 'An issue',
  properties: {
    title: { type: 'string', title: 'Title' },
    repo: { type: 'string', enum: ['docs', 'code'] },
    labels: { type: 'array', items: { type: 'string' } },
    limit: { type: 'integer', default: 3 },
  },
  required: ['repo', 'title'],
};

describe('withoutFixed', () => {
  test('removes the input and keeps titles and the order of the others', () => {
    const shown = withoutFixed(issue, { repo: 'docs' }, check) as JsonObject;
    expect(Object.keys(shown)).toEqual(['type', 'title', 'properties', 'required']);
    expect(Object.keys(shown.properties as JsonObject)).toEqual(['title', 'labels', 'limit']);
    expect(shown.required).toEqual(['title']);
    expect(shown.title).toBe('An issue');
    expect(JSON.stringify(shown)).not.toContain('repo');
  });

  test('leaves no empty list of required inputs', () => {
    expect(withoutFixed(issue, { repo: 'docs', title: 'x' }, check)).not.toHaveProperty('required');
  });

  test('chooses the alternative that the fixed value belongs to', () => {
    const either: JsonSchema = {
      type: 'object',
      properties: { kind: { type: 'string' } },
      required: ['kind'],
      oneOf: [
        { properties: { kind: { const: 'file' }, path: { type: 'string' } }, required: ['path'] },
        { properties: { kind: { const: 'url' }, url: { type: 'string' } }, required: ['url'] },
      ],
    };
    const shown = withoutFixed(either, { kind: 'url' }, check);
    expect(accepts(shown, { url: 'x' })).toBe(true);
    expect(accepts(shown, { path: 'x' })).toBe(false);
    expect(JSON.stringify(shown)).not.toContain('path');
  });

  test('follows local references and conditions', () => {
    const schema: JsonSchema = {
      type: 'object',
      $defs: {
        target: {
          properties: { mode: { $ref: '#/$defs/mode' }, to: { type: 'string' } },
          required: ['mode'],
        },
        mode: { enum: ['send', 'keep'] },
      },
      allOf: [{ $ref: '#/$defs/target' }],
      if: { properties: { mode: { const: 'send' } } },
      [then]: { required: ['to'] },
    };
    expect(accepts(withoutFixed(schema, { mode: 'send' }, check), { to: 'x' })).toBe(true);
    expect(accepts(withoutFixed(schema, { mode: 'send' }, check), {})).toBe(false);
    expect(accepts(withoutFixed(schema, { mode: 'keep' }, check), {})).toBe(true);
    expect(withoutFixed(schema, { mode: 'burn' }, check)).toBe(false);
  });

  test('accepts other arguments exactly if the whole schema accepts them with the fixed ones', () => {
    const names = ['a', 'b', 'c', 'd'] as const;
    const property = fc.constantFrom<JsonSchema>(
      { type: 'integer' },
      { type: 'string' },
      { enum: [1, 'x'] },
      { type: 'boolean' },
      { const: 1 },
    );
    const value = fc.constantFrom<Json>(1, 2, 'x', true, null);
    const some = fc.subarray([...names]);
    const branch = fc.record({
      properties: fc.dictionary(fc.constantFrom(...names), property, { maxKeys: 2, noNullPrototype: true }),
      required: some,
    });
    const schema = fc.record(
      {
        type: fc.constant('object'),
        properties: fc.record({ a: property, b: property, c: property, d: property }),
        required: some,
        anyOf: fc.array(branch, { minLength: 1, maxLength: 3 }),
        oneOf: fc.array(branch, { minLength: 1, maxLength: 3 }),
        allOf: fc.array(branch, { minLength: 1, maxLength: 2 }),
        not: branch,
        if: branch,
        [then]: branch,
        else: branch,
        dependentRequired: fc.dictionary(fc.constantFrom(...names), some, {
          maxKeys: 2,
          noNullPrototype: true,
        }),
        maxProperties: fc.integer({ min: 0, max: 4 }),
        minProperties: fc.integer({ min: 0, max: 4 }),
      },
      { requiredKeys: ['type', 'properties'], noNullPrototype: true },
    );
    const members = fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true });
    fc.assert(
      fc.property(schema, members, members, (whole, fixed, given) => {
        const others = Object.fromEntries(Object.entries(given).filter(([it]) => !Object.hasOwn(fixed, it)));
        const shown = withoutFixed(whole as unknown as JsonSchema, fixed, check);
        const merged = withFixed(others, fixed, {
          declared: namesOfInputs(whole as unknown as JsonSchema),
          mayRepeat: false,
        });
        if (!('args' in merged)) throw new Error('nothing fixed was given');
        expect(check(shown, others).length === 0).toBe(
          check(whole as unknown as JsonSchema, merged.args).length === 0,
        );
      }),
      { numRuns: 120 },
    );
  });
});

describe('fixedProblems', () => {
  test.each<[JsonObject, string[]]>([
    [{ repo: 'docs' }, []],
    [{ repo: 'other' }, ['repo: must be one of ["docs","code"]']],
    [{ limit: 'many' }, ['limit: must be integer']],
    [{ owner: 1 }, ['it has no input "owner"; it has title, repo, labels, limit']],
  ])('%j: %j', (fixed, problems) => {
    expect(fixedProblems(issue, fixed, check)).toEqual(problems);
  });

  test('an open schema may get other arguments', () => {
    expect(fixedProblems({ type: 'object', additionalProperties: true }, { any: 1 }, check)).toEqual([]);
  });
});

describe('withFixed', () => {
  const declared = new Set(['repo', 'Repo', 'title']);
  const asCaller = { declared, mayRepeat: false };
  test.each<[string, JsonObject, string]>([
    ['another value', { repo: 'code' }, 'repo'],
    ['the same value', { repo: 'docs' }, 'repo'],
    ['null', { repo: null }, 'repo'],
    ['another case', { REPO: 'code' }, 'REPO'],
    ['another way to write the characters', { ｒepo: 'code' }, 'ｒepo'],
  ])('a caller cannot send a fixed argument: %s', (_, args, rejected) => {
    expect(withFixed(args, { repo: 'docs' }, asCaller)).toEqual({ rejected });
  });

  test('an input that only looks like the fixed one can be sent', () => {
    expect(withFixed({ Repo: 1 }, { repo: 'docs' }, asCaller)).toEqual({ args: { Repo: 1, repo: 'docs' } });
  });

  test('a nested argument with the same name is another argument', () => {
    const args = { title: { repo: 'code' } };
    expect(withFixed(args, { repo: 'docs' }, asCaller)).toEqual({ args: { ...args, repo: 'docs' } });
  });

  test('stored arguments may have the same value, and no other', () => {
    const stored = { declared, mayRepeat: true };
    const fixed = { repo: { id: 1, tags: ['x'] } };
    const same = { repo: { tags: ['x'], id: 1 } };
    expect(withFixed(same, fixed, stored)).toEqual({ args: fixed });
    expect(withFixed({ repo: { id: 1, tags: [] } }, fixed, stored)).toEqual({ rejected: 'repo' });
  });

  test('a member that would set a prototype stays a member', () => {
    const args = JSON.parse('{"__proto__": {"repo": "code"}}');
    const result = withFixed(args, { repo: 'docs' }, asCaller) as { args: JsonObject };
    expect(Object.keys(result.args)).toEqual(['__proto__', 'repo']);
    expect(result.args.repo).toBe('docs');
  });
});
