import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SourceText } from './source-text.js';

test('lines and columns start at 1, and columns count UTF-16 units', () => {
  const source = new SourceText('ab\n\nc\u{1F600}d\r\n');
  expect(source.range(0)).toEqual({ line: 1, column: 1, endLine: 1, endColumn: 1 });
  expect(source.range(2, 3)).toEqual({ line: 1, column: 3, endLine: 2, endColumn: 1 });
  expect(source.range(7)).toMatchObject({ line: 3, column: 4 });
  expect(source.range(10)).toMatchObject({ line: 4, column: 1 });
});

test('offsets outside the text are clamped', () => {
  const source = new SourceText('ab');
  expect(source.range(-5)).toMatchObject({ line: 1, column: 1 });
  expect(source.range(99, 200)).toEqual({ line: 1, column: 3, endLine: 1, endColumn: 3 });
  expect(source.range(2, 1)).toEqual({ line: 1, column: 3, endLine: 1, endColumn: 3 });
});

test('positions equal those of a simple count', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u{1F600}') });
  fc.assert(
    fc.property(text, fc.nat(), (value, seed) => {
      const at = seed % (value.length + 1);
      const before = value.slice(0, at).split('\n');
      const place = { line: before.length, column: (before.at(-1) as string).length + 1 };
      const source = new SourceText(value);
      expect(source.range(at)).toMatchObject(place);
      expect(source.offset(place.line) + place.column - 1).toBe(at);
    }),
  );
});
