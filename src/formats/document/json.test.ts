import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonPath } from '../../model/json.js';
import { maxDepth, maxValues } from './document.js';
import { parseJson } from './json.js';
import { SourceText } from './source-text.js';

const problems = (text: string) =>
  parseJson(text).problems.map((it) => `${it.start} ${it.code} ${it.message}`);

describe('syntax errors', () => {
  test.each([
    ['{"a":1,}', '7 syntax.json expected a key in double quotes'],
    ['[1,]', '3 syntax.json expected a value'],
    ['{"a" 1}', '5 syntax.json expected ":" after the key'],
    ['{"a":1 "b":2}', '7 syntax.json expected ","'],
    ['{a:1}', '1 syntax.json unexpected symbol'],
    ["{'a':1}", '1 syntax.json unexpected symbol'],
    ['// x\n{}', '0 syntax.json comments are not allowed in JSON'],
    ['{} {}', '3 syntax.json unexpected content after the end of the value'],
    ['{"a":tru}', '5 syntax.json unexpected symbol'],
    ['{"a":"b', '5 syntax.json this string is not closed'],
    ['{"a":"\\x"}', '5 syntax.json invalid escape sequence'],
    ['{"a":"\t"}', '5 syntax.json a control character must be written as an escape sequence'],
    ['{"a":NaN}', '5 syntax.json unexpected symbol'],
    ['{"a":1,"a":2}', '7 syntax.duplicate-key the key "a" occurs twice'],
    ['{"a":1,"\\u0061":2}', '7 syntax.duplicate-key the key "a" occurs twice'],
    ['{"x":[{"a":1,"b":2,"a":3}]}', '19 syntax.duplicate-key the key "a" occurs twice'],
    ['{"__proto__":1}', '1 syntax.forbidden-key the key "__proto__" is not allowed'],
    ['{"\\u005f_proto__":1}', '1 syntax.forbidden-key the key "__proto__" is not allowed'],
  ])('%s', (text, expected) => {
    expect(problems(text)).toEqual([expected]);
  });

  test('brackets and colons inside a string do not count as structure', () => {
    expect(problems('{"a":"{\\"b\\":[:,","c":"\\\\"}')).toEqual([]);
  });

  test('the limits of depth and number of values are exact', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(problems(nested(maxDepth))).toEqual([]);
    expect(problems(nested(maxDepth + 1))).toHaveLength(1);
    const list = (size: number) => `[${'1,'.repeat(size)}1]`;
    expect(problems(list(maxValues))).toEqual([]);
    expect(problems(list(maxValues + 1))).toHaveLength(1);
  });
});

test('the first of two equal keys gives the value and the position', () => {
  const document = parseJson('{"a":{"b":1},"a":{"b":2},"__proto__":{"c":3}}');
  expect(document.value).toEqual({ a: { b: 1 } });
  expect(Object.getPrototypeOf(document.value)).toBe(Object.prototype);
  expect(document.locate(['a', 'b'])).toMatchObject({ column: 11 });
});

test('the position of a missing value is that of its nearest parent', () => {
  const document = parseJson('{\n  "a": {\n    "b": [1, 2]\n  }\n}');
  expect(document.locate(['a', 'b', 1])).toEqual({ line: 3, column: 14, endLine: 3, endColumn: 15 });
  expect(document.locate(['a', 'b', 9])).toMatchObject({ line: 3, column: 5, endColumn: 8 });
  expect(document.locate(['a', 'x'])).toMatchObject({ line: 2, column: 3, endColumn: 6 });
  expect(document.locate(['a'], 'key')).toMatchObject({ line: 2, column: 3, endColumn: 6 });
  expect(document.locate(['x'])).toMatchObject({ line: 1, column: 1, endLine: 1, endColumn: 2 });
  expect(document.source(['a', 'b', 0])).toBe('1');
  expect(document.source(['x'])).toBeUndefined();
});

test('the value equals that of JSON.parse, and every part of it has a position', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat({ max: 4 }), (value, indent) => {
      fc.pre(!JSON.stringify(value).includes('__proto__'));
      const text = JSON.stringify(value, null, indent);
      const document = parseJson(text);
      expect(document.value).toEqual(JSON.parse(text));
      const source = new SourceText(text);
      const visit = (part: Json, path: JsonPath) => {
        const written = document.source(path) as string;
        expect(JSON.parse(written)).toEqual(part);
        const range = document.locate(path);
        const start = source.offset(range.line) + range.column - 1;
        expect(text.slice(start, start + written.length)).toBe(written);
        if (typeof part !== 'object' || part === null) return;
        for (const [key, member] of Object.entries(part))
          visit(member, [...path, Array.isArray(part) ? Number(key) : key]);
      };
      visit(JSON.parse(text), []);
    }),
    { numRuns: 200 },
  );
});
