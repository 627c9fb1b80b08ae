import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileDenyPatterns, firstDenyMatch } from './deny-patterns.js';

const matches: readonly (readonly [string, unknown])[] = [
  ['ignore (all|previous)', 'Please IGNORE previous rules'],
  ['drop\\s+table', { query: 'x; Drop\nTable users' }],
  ['say "hi"', { text: 'he did say "hi" to me' }],
  ['^secret$', { deep: ['a', { b: 'Secret' }] }],
  ['forbidden', { 'a forbidden key': 1 }],
  ['^a key$', { deep: [{ 'A key': 1 }] }],
  ['^4711$', { number: 4711 }],
  ['password', { text: 'p\u200bassw\u00adord' }],
  ['password', { text: 'ｐａｓｓｗｏｒｄ' }],
  ['"admin":true', { admin: true }],
];

test.each(matches)('%s matches %j', (pattern, value) => {
  expect(compileDenyPatterns(['nothing like it', pattern]).firstMatch(value as never)).toBe(pattern);
});

test('an input without a match passes', () => {
  expect(firstDenyMatch(['ignore (all|previous)'], 'do not forget the previous rules')).toBeUndefined();
  expect(compileDenyPatterns([]).firstMatch({ a: 'b' })).toBeUndefined();
  expect(firstDenyMatch(['(?i)x'], 'y')).toBeUndefined();
});

test.each(['(a)\\1', 'a(?!b)', '(?<=a)b', '('])('the unsupported pattern %s is an error', (pattern) => {
  expect(() => compileDenyPatterns([pattern])).toThrow(expect.objectContaining({ code: 'not_supported' }));
});

test('patterns that make backtracking engines hang take no time', () => {
  const start = performance.now();
  expect(
    firstDenyMatch(['^(a+)+$', '^(a|aa)+$', '(x+x+)+y'], `${'a'.repeat(20_000)}!${'x'.repeat(2000)}`),
  ).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(5000);
});

test('more patterns than the cache holds still match', () => {
  const patterns = Array.from({ length: 600 }, (_, index) => `word${index}\\b`);
  for (let round = 0; round < 2; round++)
    for (const [index, pattern] of patterns.entries())
      expect(firstDenyMatch([pattern], `a word${index} here`)).toBe(pattern);
  expect(firstDenyMatch([patterns[5] as string], 'a word55 here')).toBeUndefined();
});

test('a word is found at any position and in any case', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.stringMatching(/^[a-z]{4,10}$/), (before, after, word) => {
      expect(firstDenyMatch([word.toUpperCase()], `${before} ${word} ${after}`)).toBe(word.toUpperCase());
    }),
  );
});
