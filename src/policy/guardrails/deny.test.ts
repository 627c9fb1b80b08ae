import fc from 'fast-check';
import { expect, test } from 'vitest';
import { denied, denyRules } from './deny.js';

const hits: readonly (readonly [string, unknown])[] = [
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

test.each(hits)('%s refuses %j', (pattern, value) => {
  expect(denyRules(['nothing like it', pattern]).hit(value as never)).toBe(pattern);
});

test('what does not match is let through', () => {
  expect(denied(['ignore (all|previous)'], 'do not forget the previous rules')).toBeUndefined();
  expect(denyRules([]).hit({ a: 'b' })).toBeUndefined();
  expect(denied(['(?i)x'], 'y')).toBeUndefined();
});

test.each(['(a)\\1', 'a(?!b)', '(?<=a)b', '('])('%s cannot be enforced, and that is said', (pattern) => {
  expect(() => denyRules([pattern])).toThrow(expect.objectContaining({ code: 'not_supported' }));
});

test('patterns that make other engines hang take no time', () => {
  const start = performance.now();
  expect(
    denied(['^(a+)+$', '^(a|aa)+$', '(x+x+)+y'], `${'a'.repeat(20_000)}!${'x'.repeat(2000)}`),
  ).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(5000);
});

test('more patterns than are kept compiled, each asked for twice', () => {
  const patterns = Array.from({ length: 600 }, (_, index) => `word${index}\\b`);
  for (let round = 0; round < 2; round++)
    for (const [index, pattern] of patterns.entries())
      expect(denied([pattern], `a word${index} here`)).toBe(pattern);
  expect(denied([patterns[5] as string], 'a word55 here')).toBeUndefined();
});

test('a word is found in any case and anywhere', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.stringMatching(/^[a-z]{4,10}$/), (before, after, word) => {
      expect(denied([word.toUpperCase()], `${before} ${word} ${after}`)).toBe(word.toUpperCase());
    }),
  );
});
