import { expect, test } from 'vitest';
import { parsePlaceholders } from './placeholder.js';

/** Placeholders are shown as ‹name›. */
function render(text: string): string {
  return parsePlaceholders(text)
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
])('%j is parsed as %j', (text, expected) => {
  expect(render(text)).toBe(expected);
});

test('each placeholder name is listed once', () => {
  expect(parsePlaceholders('{a} {b} {a}').names).toEqual(['a', 'b']);
});

test.each([
  ['{{name}}', ['{{name}}']],
  ['{{ name }}', ['{{ name }}']],
  ['{user.name} {user-id} { x }', ['{user.name}', '{user-id}', '{ x }']],
  ['{name}', []],
  ['function () { return 1; }', []],
  ['{"a": 1}', []],
])('in %j, the parts %j look like another template language', (text, expected) => {
  expect(parsePlaceholders(text).suspects).toEqual(expected);
});

test('a megabyte of braces is parsed fast', () => {
  const started = performance.now();
  for (const text of ['{'.repeat(1e6), '{a'.repeat(5e5), `{${'a'.repeat(1e6)}`, '{{a}'.repeat(2.5e5)])
    parsePlaceholders(text);
  expect(performance.now() - started).toBeLessThan(3000);
});
