import fc from 'fast-check';
import { parse } from 'smol-toml';
import { ParseError, parseTOML } from 'toml-eslint-parser';
import { describe, expect, test } from 'vitest';
import type { JsonPath } from '../../model/json.js';
import { parseToml } from './toml.js';

/** One line per problem: line:column code message. */
function problems(text: string): string[] {
  return parseToml(text).problems.map((it) => {
    const before = text.slice(0, it.start);
    const line = before.split('\n').length;
    const column = it.start - before.lastIndexOf('\n');
    return `${line}:${column} ${it.code} ${it.message}`;
  });
}

describe('TOML values', () => {
  test('are converted to plain JSON', () => {
    const { value } = parseToml('a = 1\nb.c = [true, "x", {d = 1.5}]\n[t]\n[[u]]\nv = 1\n[[u]]\n');
    expect(value).toEqual({ a: 1, b: { c: [true, 'x', { d: 1.5 }] }, t: {}, u: [{ v: 1 }, {}] });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test.each([
    ['1979-05-27T07:32:00Z'],
    ['1979-05-27 07:32:00.999999-07:00'],
    ['1979-05-27T07:32'],
    ['1979-05-27'],
    ['07:32:00'],
  ])('the date %s becomes a string with the same text', (date) => {
    expect(parseToml(`[meta]\na = [ ${date} ]`).value).toEqual({ meta: { a: [date] } });
  });

  test('keys with the names of built-in members are ordinary keys', () => {
    const { value } = parseToml('constructor = 1\nhasOwnProperty = 2\ntoString.x = 3');
    expect(value).toEqual({ constructor: 1, hasOwnProperty: 2, toString: { x: 3 } });
  });
});

describe('errors', () => {
  test.each([
    ['a = 1\na = 2', '2:1 syntax.duplicate-key the key "a" occurs twice'],
    ['[a]\n[b]\n[a]', '3:2 syntax.duplicate-key the key "a" occurs twice'],
    ['a = {b = 1, "b c" = 1, "b c" = 2}', '1:24 syntax.duplicate-key the key "b c" occurs twice'],
    ['a.b = 1\n[a]', '2:2 syntax.duplicate-key the key "a" occurs twice'],
    ['x = 1\n__proto__ = 1', '2:1 syntax.forbidden-key the key "__proto__" is not allowed'],
    ['[a.__proto__.b]\nc = 1', '1:4 syntax.forbidden-key the key "__proto__" is not allowed'],
    ['a = {"__proto__" = {b = 1}}', '1:6 syntax.forbidden-key the key "__proto__" is not allowed'],
    ['a = [1, 9007199254740993]', '1:9 syntax.not-json-value this integer is too large to be stored exactly'],
    ['a = -inf', '1:5 syntax.not-json-value inf and nan are not allowed'],
    ['a = nan', '1:5 syntax.not-json-value inf and nan are not allowed'],
    ['a = "x', '1:7 syntax.toml the closing quote is missing'],
    ['a = [1, 2', '1:10 syntax.toml this list is not closed'],
    ['a = {b = 1', '1:11 syntax.toml this table is not closed'],
    ['[a\n', '1:3 syntax.toml expected "]" after the name of the table'],
    ['[a', '1:3 syntax.toml expected "]" after the name of the table'],
    ['[]', '1:2 syntax.toml expected a key'],
    ['a = 1 b = 2', '1:7 syntax.toml expected the end of the line'],
    ['a 1', '1:3 syntax.toml expected "=" after the key'],
    ['a =\n', '1:4 syntax.toml expected a value after "="'],
    ['a = [1 2]', '1:8 syntax.toml expected ","'],
    ['a = hello', '1:5 syntax.toml unexpected "h"'],
    ['a = "\\q"', '1:7 syntax.toml invalid escape sequence'],
    ['a = 007', '1:5 syntax.toml a number must not start with 0'],
    ['a = 2021-02-30', '1:14 syntax.toml this date does not exist'],
    ['a = 24:00:00', '1:12 syntax.toml this time does not exist'],
    ['a..b = 1', '1:2 syntax.toml a key is missing between the dots'],
    ['{"a": 1}', '1:1 syntax.toml unexpected "{"'],
  ])('%j', (text, problem) => {
    expect(problems(text)).toEqual([problem]);
    expect(parseToml(text).value).toBeUndefined();
  });

  test('all values that JSON cannot represent are reported together', () => {
    expect(problems('a = inf\nb = 99999999999999999999\n__proto__ = 1')).toHaveLength(3);
  });

  test('an error that only the parser of values finds is reported with its message', () => {
    for (const text of ['a = 1979-05-27T07:32:60Z', 'a = 1\r', 'a = \r1']) {
      expect(() => parseTOML(text), text).not.toThrow();
      expect(problems(text)).toHaveLength(1);
      expect(problems(text)[0]).toMatch(/^1:\d+ syntax\.toml /);
    }
  });

  test('the position parser still uses the messages that are replaced', () => {
    for (const text of ['a = "x', 'a = 1\na = 2', 'a = 1 b = 2', 'a = 007', 'a 1', '[a', 'a = [1 2]']) {
      expect(() => parseTOML(text)).toThrow(ParseError);
      expect(problems(text)[0]).not.toContain('this is not TOML');
    }
  });
});

describe('positions', () => {
  const text = [
    '# comment',
    '[plugin]',
    'id = "a"',
    'list = ["x", {y = 2}]',
    '[servers.one.env]',
    'KEY = "v"',
    '[[many]]',
    'n = 1',
    '[[many]]',
    'n = 2',
    'dotted.name = 3',
    '',
  ].join('\n');
  const document = parseToml(text);

  test.each<[JsonPath, 'key' | 'value', string]>([
    [[], 'value', '1:1'],
    [['plugin'], 'value', '2:2'],
    [['plugin', 'id'], 'value', '3:6'],
    [['plugin', 'id'], 'key', '3:1'],
    [['plugin', 'list', 0], 'value', '4:9'],
    [['plugin', 'list', 1, 'y'], 'key', '4:15'],
    [['plugin', 'list', 1, 'y'], 'value', '4:19'],
    [['plugin', 'absent'], 'value', '2:2'],
    [['servers'], 'key', '5:2'],
    [['servers', 'one'], 'value', '5:10'],
    [['servers', 'one', 'absent'], 'key', '5:10'],
    [['servers', 'one', 'env', 'KEY'], 'value', '6:7'],
    [['many', 0, 'n'], 'value', '8:5'],
    [['many', 1], 'value', '9:3'],
    [['many', 1, 'n'], 'value', '10:5'],
    [['many', 1, 'dotted'], 'key', '11:1'],
    [['many', 1, 'dotted', 'name'], 'value', '11:15'],
    [['absent', 'too'], 'value', '1:1'],
  ])('%j %s', (path, spot, place) => {
    const { line, column } = document.locate(path, spot);
    expect(`${line}:${column}`).toBe(place);
  });

  test('the source of a value is its original text', () => {
    expect(document.source(['plugin', 'id'])).toBe('"a"');
    expect(parseToml('a = 0x1F').source(['a'])).toBe('0x1F');
    expect(document.source(['plugin'])).toBeUndefined();
  });

  test('a very long string and the values after it have correct positions', () => {
    for (const quotes of ['"', "'", '"""', "'''"]) {
      const long = `${quotes}${'x'.repeat(600_000)}${quotes}`;
      const { value, locate } = parseToml(`a = ${long}\n[t]\nb = 1`);
      expect(value).toMatchObject({ t: { b: 1 } });
      expect(locate(['a'])).toEqual({ line: 1, column: 5, endLine: 1, endColumn: 5 + long.length });
      expect(locate(['t', 'b'])).toMatchObject({ line: 3, column: 5 });
    }
  });
});

describe('for any text', () => {
  const pieces = fc.constantFrom(
    ...['a', 'b', '"q"', "'l'", ' = ', '[', '[[', ']', ']]', '{', '}', ',', '.', '\n', '\r\n', '\r', '# c'],
    ...['"""m"""', "'''n'''", '1', '-', '1_0', '0x1F', 'inf', 'true', '1979-05-27', '07:32:60', '\t', '\\'],
    ...['\u0000', 'é', '__proto__', '"\\e"', '""', '99999999999999999999'],
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 14 }).map((it) => it.join('')),
    fc.array(pieces, { maxLength: 8 }).map((it) => `a = [${it.join('')}]`),
  );

  test('parsing never throws, returns a value or a problem, and does not change prototypes', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { value, problems: found, locate } = parseToml(text);
        expect(value === undefined).toBe(found.length > 0);
        locate(['a', 0, 'b']);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  test('the position parser accepts what the parser of values accepts, except dates that do not exist', () => {
    fc.assert(
      fc.property(texts, (text) => {
        // A file that starts with a byte order mark is rejected earlier.
        fc.pre(!text.startsWith('\ufeff'));
        try {
          parse(text, { integersAsBigInt: 'asNeeded' });
        } catch {
          return;
        }
        parseTOML(text);
      }),
      { numRuns: 3000 },
    );
  });
});
