import { describe, expect, test } from 'vitest';
import type { Json } from '../../../model/json.js';
import { answerDifferences, isIgnorePattern, savedAnswer } from './answer-difference.js';

describe('an answer', () => {
  const cases: readonly (readonly [Json, Json, readonly string[], readonly string[]])[] = [
    [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, [], []],
    [{ a: 1 }, { a: 2 }, [], ['/a: expected 1, got 2']],
    [{ a: 1 }, {}, [], ['/a: missing; expected 1']],
    [{}, { a: null }, [], ['/a: not expected; got null']],
    [[1], [1, 2], [], ['the answer: expected 1 elements, got 2']],
    ['x', 'y', [], ['the answer: expected "x", got "y"']],
    [{ a: 1 }, [1], [], ['the answer: expected {"a":1}, got [1]']],
    [{ at: 1, n: 1 }, { at: 2, n: 1 }, ['/at'], []],
    [{ at: 1, n: 1 }, { at: 2, n: 2 }, ['/at'], ['/n: expected 1, got 2']],
    [[{ id: 1 }, { id: 2 }], [{ id: 3 }, { id: 4 }], ['/*/id'], []],
    [{ 'a/b': 1 }, { 'a/b': 2 }, ['/a~1b'], []],
    [{ a: 1 }, 'anything', [''], []],
    [{ at: 1 }, {}, ['/at'], []],
    [1, 1.0, [], []],
    ['1', 1, [], ['the answer: expected "1", got 1']],
  ];

  test.each(cases)('%j compared with %j, without %j', (expected, actual, ignore, differences) => {
    expect(answerDifferences(expected, actual, ignore)).toEqual(differences);
  });

  test('shows only the first differences', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, at]));
    expect(answerDifferences(many, {}, [])).toHaveLength(6);
    expect(answerDifferences(many, {}, []).at(-1)).toBe('and 4 more differences');
  });

  test('is saved without the parts that are not compared', () => {
    expect(savedAnswer([{ id: 7, n: 1 }], ['/*/id'])).toEqual([{ id: '(ignored)', n: 1 }]);
    expect(answerDifferences(savedAnswer([{ id: 7 }], ['/*/id']), [{ id: 8 }], ['/*/id'])).toEqual([]);
  });
});

test.each([
  ['', true],
  ['/a', true],
  ['/a/*/b', true],
  ['/a~0~1', true],
  ['a', false],
  ['/a~2', false],
])('%j is a place in an answer: %s', (text, isPlace) => {
  expect(isIgnorePattern(text)).toBe(isPlace);
});
