import { describe, expect, test } from 'vitest';
import { englishOf } from './foreign-words.js';
import { isMisspelling } from './misspelling.js';
import { searchTerms, wordsOf } from './search-terms.js';
import { stem } from './stem.js';

describe('words', () => {
  test.each([
    ['listPullRequests', ['list', 'pull', 'requests']],
    ['HTTPServer_start', ['http', 'server', 'start']],
    ['get-user2fa', ['get', 'user', '2', 'fa']],
    ['Größe über Straße', ['grosse', 'uber', 'strasse']],
    ['送信する mail', ['送信する', 'mail']],
    ['E-Mail', ['email']],
  ])('of %s', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

test.each([
  ['created', 'create'],
  ['translation', 'translate'],
  ['queries', 'query'],
  ['running', 'run'],
  ['branches', 'branch'],
  ['payments', 'pay'],
  ['summarise', 'summarize'],
  ['indices', 'index'],
])('%s has the stem of %s', (form, word) => {
  expect(stem(form)).toBe(stem(word));
});

test.each([
  ['station', 'status'],
  ['news', 'new'],
  ['order', 'ord'],
])('%s has another stem than %s', (a, b) => {
  expect(stem(a)).not.toBe(stem(b));
});

test('phrases are one term, stop words none', () => {
  expect(searchTerms('Open a pull request')).toEqual(searchTerms('open PR'));
  expect(searchTerms('the of and')).toEqual([]);
});

test('common words of other languages have English stems, also in the plural', () => {
  expect(englishOf('fichiers')).toEqual([stem('file')]);
  expect(englishOf('aufgaben')).toEqual([stem('task')]);
  expect(englishOf('constructor')).toEqual([]);
});

test('one typo is a misspelling, two in a long word', () => {
  expect(isMisspelling('delte', 'delet')).toBe(true);
  expect(isMisspelling('docuemnts', 'document')).toBe(true);
  expect(isMisspelling('mail', 'bail')).toBe(false);
  expect(isMisspelling('list', 'last')).toBe(true);
  expect(isMisspelling('cat', 'car')).toBe(false);
});
