import { expect, test } from 'vitest';
import { bearerChallenge, scopesIn } from './bearer-challenge.js';

test.each<[string | undefined, unknown]>([
  [undefined, undefined],
  ['', undefined],
  ['Basic realm="x"', undefined],
  ['Bearer', { scopes: [] }],
  ['bearer scope="a b"', { scopes: ['a', 'b'] }],
  [
    'Bearer realm="r", resource_metadata="https://a.example.com/x", scope="a"',
    { scopes: ['a'], resourceMetadata: 'https://a.example.com/x' },
  ],
  [
    'Basic realm="Bearer scope=x", Bearer error=insufficient_scope',
    { scopes: [], error: 'insufficient_scope' },
  ],
  ['Bearer scope="a", DPoP scope="b"', { scopes: ['a'] }],
  ['Bearer scope="a", scope="b"', { scopes: ['a'] }],
  ['Bearer error="Any text <b>"', { scopes: [] }],
  [String.raw`Bearer realm="a \" , scope=\"x\"", scope="y"`, { scopes: ['y'] }],
  [`Bearer scope="${'a'.repeat(9000)}"`, undefined],
])('a header %j is read', (header, expected) => {
  expect(bearerChallenge(header)).toEqual(expected);
});

test('text that cannot be a scope is left out', () => {
  expect(scopesIn('a  b a \u001b[31m "x" \\')).toEqual(['a', 'b']);
  expect(scopesIn(7)).toEqual([]);
  expect(scopesIn('x'.repeat(300))).toEqual([]);
});
