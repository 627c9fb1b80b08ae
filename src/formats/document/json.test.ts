import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonPath } from '../../model/json.js';
import { maxDepth, maxValues } from './document.js';
import { readJson } from './json.js';
import { SourceText } from './text.js';

const problems = (text: string) =>
  readJson(text).problems.map((it) => `${it.start} ${it.code} ${it.message}`);

describe('notation', () => {
  test.each([
    ['{"a":1,}', '7 syntax.json expected a name in double quotes'],
    ['[1,]', '3 syntax.json expected a value'],
    ['{"a" 1}', '5 syntax.json expected ":" after the name'],
    ['{"a":1 "b":2}', '7 syntax.json expected ","'],
    ['{a:1}', '1 syntax.json unexpected word'],
    ["{'a':1}", '1 syntax.json unexpected word'],
    ['// x\n{}', '0 syntax.json JSON has no comments'],
    ['{} {}', '3 syntax.json expected nothing more after the value'],
    ['{"a":tru}', '5 syntax.json unexpected word'],
    ['{"a":"b', '5 syntax.json this string never ends'],
    ['{"a":"\\x"}', '5 syntax.json this escape is not one JSON knows'],
    ['{"a":"\t"}', '5 syntax.json a control character must be written as an escape'],
    ['{"a":NaN}', '5 syntax.json unexpected word'],
    ['{"a":1,"a":2}', '7 syntax.duplicate-key the key "a" occurs twice'],
    ['{"a":1,"\\u0061":2}', '7 syntax.duplicate-key the key "a" occurs twice'],
    ['{"x":[{"a":1,"b":2,"a":3}]}', '19 syntax.duplicate-key the key "a" occurs twice'],
    ['{"__proto__":1}', '1 syntax.forbidden-key the key "__proto__" is not allowed'],
    ['{"\\u005f_proto__":1}', '1 syntax.forbidden-key the key "__proto__" is not allowed'],
  ])('%s', (text, expected) => {
    expect(problems(text)).toEqual([expected]);
  });

  test('a string that looks like structure is only a string', () => {
    expect(problems('{"a":"{\\"b\\":[:,","c":"\\\\"}')).toEqual([]);
  });

  test('depth and number of values are bounded, exactly', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(problems(nested(maxDepth))).toEqual([]);
    expect(problems(nested(maxDepth + 1))).toHaveLength(1);
    const list = (size: number) => `[${'1,'.repeat(size)}1]`;
    expect(problems(list(maxValues))).toEqual([]);
    expect(problems(list(maxValues + 1))).toHaveLength(1);
  });
});

test('of two equal keys the first counts, for the value as for the place', () => {
  const document = readJson('{"a":{"b":1},"a":{"b":2},"__proto__":{"c":3}}');
  expect(document.value).toEqual({ a: { b: 1 } });
  expect(Object.getPrototypeOf(document.value)).toBe(Object.prototype);
  expect(document.locate(['a', 'b'])).toMatchObject({ column: 11 });
});

test('a place that does not exist is the nearest thing around it', () => {
  const document = readJson('{\n  "a": {\n    "b": [1, 2]\n  }\n}');
  expect(document.locate(['a', 'b', 1])).toEqual({ line: 3, column: 14, endLine: 3, endColumn: 15 });
  expect(document.locate(['a', 'b', 9])).toMatchObject({ line: 3, column: 5, endColumn: 8 });
  expect(document.locate(['a', 'x'])).toMatchObject({ line: 2, column: 3, endColumn: 6 });
  expect(document.locate(['a'], 'key')).toMatchObject({ line: 2, column: 3, endColumn: 6 });
  expect(document.locate(['x'])).toMatchObject({ line: 1, column: 1, endLine: 1, endColumn: 2 });
  expect(document.source(['a', 'b', 0])).toBe('1');
  expect(document.source(['x'])).toBeUndefined();
});

test('reads what JSON.parse reads, and finds every part of it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat({ max: 4 }), (value, indent) => {
      fc.pre(!JSON.stringify(value).includes('__proto__'));
      const text = JSON.stringify(value, null, indent);
      const document = readJson(text);
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
