import { expect, test } from 'vitest';
import { sourceExcerpt } from './excerpt.js';

const at = (column: number, endColumn: number) => ({ line: 1, column, endLine: 1, endColumn });

test.each([
  ['plain', 'name: Foo', at(7, 10), 'name: Foo', '      ^^^'],
  ['a tab', '\tname: x', at(2, 6), '    name: x', '    ^^^^'],
  ['wide characters before', '名前: x', at(5, 6), '名前: x', '      ^'],
  ['wide characters below', 'a: 名前', at(4, 6), 'a: 名前', '   ^^^^'],
  ['a combining mark', 'e\u0301x', at(3, 4), 'e\u0301x', ' ^'],
  ['an emoji', '🎉 ok', at(4, 6), '🎉 ok', '   ^^'],
  ['the end of the line', 'abc', at(4, 4), 'abc', '   ^'],
  ['an empty range', 'abc', at(2, 2), 'abc', ' ^'],
  ['an escape sequence is shown, not executed', 'a\u001B[31mb', at(1, 2), 'a<U+001B>[31mb', '^'],
  ['a carriage return is shown, not executed', 'good\rbad', at(1, 5), 'good<U+000D>bad', '^^^^'],
  ['a character that changes the text direction', 'x\u202Ey', at(3, 4), 'x<U+202E>y', '         ^'],
])('marks are placed correctly: %s', (_name, line, range, source, marks) => {
  expect(sourceExcerpt(line, range, 80)).toEqual({ source, marks });
});

test('a long line is cut around the marked range', () => {
  const line = `${'a'.repeat(500)}HERE${'b'.repeat(500)}`;
  const { source, marks } = sourceExcerpt(line, at(501, 505), 40);
  expect(source.length).toBeLessThanOrEqual(40);
  expect(source).toMatch(/^…a+HEREb+…$/);
  expect(source.slice(marks.indexOf('^'), marks.lastIndexOf('^') + 1)).toBe('HERE');
});

test('a range over several lines marks the rest of its first line', () => {
  expect(sourceExcerpt('a: {', { line: 1, column: 4, endLine: 3, endColumn: 2 }, 80)).toEqual({
    source: 'a: {',
    marks: '   ^',
  });
});
