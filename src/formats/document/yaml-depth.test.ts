import { expect, test } from 'vitest';
import { tooDeepAt } from './yaml-depth.js';

test.each([
  ['flow lists', '['.repeat(300)],
  ['flow lists over lines', '[\n'.repeat(300)],
  ['flow maps', 'a: {'.repeat(300)],
  ['lists on one line', `${'- '.repeat(300)}a`],
  ['explicit keys', `${'? '.repeat(300)}a`],
  ['indented maps', Array.from({ length: 300 }, (_, index) => `${' '.repeat(index)}a:`).join('\n')],
  ['indented lists', Array.from({ length: 300 }, (_, index) => `${' '.repeat(index)}-`).join('\n')],
  ['keys in a row', 'a: '.repeat(300)],
])('%s exceed the depth limit', (_name, text) => {
  expect(tooDeepAt(text, 256)).not.toBeNull();
});

test.each([
  ['many closed lists', '[a] '.repeat(5000)],
  ['many keys', 'a: 1\n'.repeat(5000)],
  ['a long list', '- a\n'.repeat(5000)],
  ['prose', `description: ${'one: two, [three] (four) '.repeat(100)}`],
  ['a folded text', `a: >\n${'  words and words\n'.repeat(5000)}`],
])('%s do not exceed the depth limit', (_name, text) => {
  expect(tooDeepAt(text, 256)).toBeNull();
});
