import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxDepth } from './document.js';
import { SourceText } from './source-text.js';
import { parseYaml } from './yaml.js';

const read = (text: string) => {
  const source = new SourceText(text);
  return parseYaml(text, (start, end) => source.range(start, end));
};
const problems = (text: string) => read(text).problems.map((it) => `${it.start} ${it.code} ${it.message}`);

describe('values are converted to JSON', () => {
  test.each([
    ['a: 2026-05-04T12:34:56Z', { a: '2026-05-04T12:34:56Z' }],
    ['a: 2026-05-04', { a: '2026-05-04' }],
    ['a: yes\nb: on\nc: no', { a: 'yes', b: 'on', c: 'no' }],
    ['a: true\nb: False', { a: true, b: false }],
    ['a: 1.0\nb: 0x10\nc: 0o7\nd: 010', { a: 1, b: 16, c: 7, d: 10 }],
    ['a: 12:30:45', { a: '12:30:45' }],
    ['a:\nb: ~\nc: null', { a: null, b: null, c: null }],
    ["a: \"x\\ny\"\nb: 'it''s'", { a: 'x\ny', b: "it's" }],
    ['a: |\n  x\n  y\nb: >-\n  x\n  y', { a: 'x\ny\n', b: 'x y' }],
    ['- [1, {a: 2}]\n- b', [[1, { a: 2 }], 'b']],
    ['{"a": [1, "x"]}', { a: [1, 'x'] }],
    ['"<<": 1', undefined],
    ['constructor: 1\ntoString: 2', { constructor: 1, toString: 2 }],
    ['', null],
  ])('%j', (text, value) => {
    expect(read(text).value).toEqual(value);
  });
});

describe('YAML features that JSON does not have are rejected', () => {
  test.each([
    ['a: &x 1', '6 syntax.yaml-feature the anchor &x is not allowed in a manifest'],
    ['a: *x', '3 syntax.yaml-feature the alias *x is not allowed in a manifest'],
    ['a: !!str 1', '9 syntax.yaml-feature the tag tag:yaml.org,2002:str is not allowed in a manifest'],
    ['a: !x 1', '6 syntax.yaml-feature the tag !x is not allowed in a manifest'],
    ['&k a: 1', '3 syntax.yaml-feature the anchor &k is not allowed in a manifest'],
    ['<<: {a: 1}', '0 syntax.yaml-feature the merge key << is not allowed in a manifest'],
    ['%YAML 1.1\n--- \na: yes', '0 syntax.yaml-feature a %YAML directive is not allowed in a manifest'],
    ['1: a', '0 syntax.not-json-value a key must be a string'],
    ['[a]: b', '0 syntax.not-json-value a key must be a string'],
    ['a: .nan', '3 syntax.not-json-value this value cannot be represented in JSON'],
    ['a: -.inf', '3 syntax.not-json-value this value cannot be represented in JSON'],
    ['a: 1\na: 2', '5 syntax.duplicate-key the key "a" occurs twice'],
    ['a: 1\n"a": 2', '5 syntax.duplicate-key the key "a" occurs twice'],
    ['__proto__: 1', '0 syntax.forbidden-key the key "__proto__" is not allowed'],
  ])('%j', (text, expected) => {
    expect(problems(text)).toEqual([expected]);
  });

  test.each(['a: 1\n b: 2', 'a: [1', 'a: "x', '\ta: 1', 'a: b: c', '--- 1\n--- 2', 'a: @x'])(
    '%j is no YAML',
    (text) => {
      expect(read(text).problems.map((it) => it.code)).toEqual(['syntax.yaml']);
    },
  );

  test('the depth limit is exact', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(problems(nested(maxDepth + 1))).toEqual([]);
    expect(problems(nested(maxDepth + 2))).toHaveLength(1);
  });
});

test('positions refer to the text', () => {
  const document = read('a: 1\nb:\n  - c: x\n    d: 1.0\n');
  expect(document.locate(['b', 0, 'd'])).toEqual({ line: 4, column: 8, endLine: 4, endColumn: 11 });
  expect(document.locate(['b', 0, 'd'], 'key')).toMatchObject({ line: 4, column: 5 });
  expect(document.locate(['b', 0, 'zz'])).toMatchObject({ line: 3, column: 5, endColumn: 6 });
  expect(document.locate(['b', 'zz'])).toMatchObject({ line: 2, column: 1 });
  expect(document.source(['b', 0, 'd'])).toBe('1.0');
});

test('every JSON text is parsed like JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat({ max: 3 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      fc.pre(!text.includes('__proto__') && !text.includes('"<<"'));
      expect(read(text).value).toEqual(JSON.parse(text));
    }),
    { numRuns: 300 },
  );
});

test('parsing never throws', () => {
  const piece = fc.constantFrom(
    'a',
    ':',
    ' ',
    '\n',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '#',
    '&',
    '*',
    '!',
    '|',
    '>',
    '%',
    '@',
    '? ',
    '\t',
    ',',
    '---',
    '...',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const document = read(pieces.join(''));
      expect(
        document.value === undefined || document.problems.every((it) => it.code === 'syntax.duplicate-key'),
      ).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

describe('a text that would take seconds to parse', () => {
  const mebibyte = 1024 * 1024;
  test.each([
    ['a list of numbers', `a: [${'0,'.repeat(mebibyte / 2 - 8)}0]`],
    ['a list of lists', `a: [${'[],'.repeat(Math.floor(mebibyte / 3) - 8)}0]`],
    ['many lines', '- a\n'.repeat(mebibyte / 4)],
    ['many tags', '!a '.repeat(Math.floor(mebibyte / 3))],
    ['many anchors', '- &a *a\n'.repeat(mebibyte / 8)],
  ])('is reported without parsing: %s', (_, text) => {
    const began = performance.now();
    expect(read(text).problems.map((it) => it.code)).toEqual(['syntax.too-many-values']);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  test('a long text with many commas is not reported', () => {
    const { problems, value } = read(
      `a: |\n${`  ${'Words, and more words: all of them.\n'}`.repeat(20_000)}`,
    );
    expect(problems).toEqual([]);
    expect(Object.keys(value as object)).toEqual(['a']);
  });
});
