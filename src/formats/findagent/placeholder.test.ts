import { expect, test } from 'vitest';
import { splitHoles } from './placeholder.js';

/** Holes are shown as ‹name›. */
function shown(text: string): string {
  return splitHoles(text)
    .template.parts.map((it) =>
      it.kind === 'text' ? it.text : it.kind === 'input' ? `‹${it.path.join('.')}›` : '?',
    )
    .join('');
}

test.each([
  ['', ''],
  ['plain', 'plain'],
  ['{a}', '‹a›'],
  ['x{a}y{b_2}', 'x‹a›y‹b_2›'],
  ['{_x}{A}', '‹_x›‹A›'],
  ['{1a}', '{1a}'],
  ['{a-b}', '{a-b}'],
  ['{a.b}', '{a.b}'],
  ['{ a }', '{ a }'],
  ['{}', '{}'],
  ['{a', '{a'],
  ['a}', 'a}'],
  ['{{a}}', '{{a}}'],
  ['{{{a}}}', '{{{a}}}'],
  ['{{a}', '{‹a›'],
  ['{a}}', '‹a›}'],
  ['$1{a}', '$1‹a›'],
  ['{"k":{v}}', '{"k":‹v›}'],
  ['{Ünï}', '{Ünï}'],
])('%j is read as %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test('each hole is named once', () => {
  expect(splitHoles('{a} {b} {a}').names).toEqual(['a', 'b']);
});

test.each([
  ['{{name}}', ['{{name}}']],
  ['{{ name }}', ['{{ name }}']],
  ['{user.name} {user-id} { x }', ['{user.name}', '{user-id}', '{ x }']],
  ['{name}', []],
  ['function () { return 1; }', []],
  ['{"a": 1}', []],
])('%j looks like %j of another template language', (text, expected) => {
  expect(splitHoles(text).suspects).toEqual(expected);
});

test('a megabyte of braces takes no time', () => {
  const started = performance.now();
  for (const text of ['{'.repeat(1e6), '{a'.repeat(5e5), `{${'a'.repeat(1e6)}`, '{{a}'.repeat(2.5e5)])
    splitHoles(text);
  expect(performance.now() - started).toBeLessThan(3000);
});
