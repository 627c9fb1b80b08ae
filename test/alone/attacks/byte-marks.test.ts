// SECURITY.md: "Secrets are removed from output". The search ignores the byte prefixes `0x` and `\x`. A
// secret can itself contain an x before two hexadecimal digits; it must be found even if that x looks like a
// prefix.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { KnownValues } from '../../../src/policy/scan/known-values.js';
import { redactNow } from '../../../src/policy/scan/redact-secrets.js';

const scanOptions = {
  guesses: false,
  reportSamples: false,
  sha256: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest(),
};

function redacted(value: string, text: string): string {
  const hiding = [{ values: new KnownValues([value]), nameOf: () => 'SLOT' }];
  return redactNow(text, hiding, scanOptions).value as string;
}

/** Length of the longest part of a value in a text, forward or reversed, ignoring separators. */
function longestLeft(value: string, text: string): number {
  const bare = text.replaceAll('[redacted:SLOT]', '\n').replace(/[^A-Za-z0-9\n]/g, '');
  for (let length = value.length; length > 0; length--)
    for (let at = 0; at + length <= value.length; at++)
      for (const piece of [
        value.slice(at, at + length),
        [...value.slice(at, at + length)].reverse().join(''),
      ])
        if (bare.includes(piece)) return length;
  return 0;
}

const values = [
  'x41kq9wzrtyu',
  'x41KQ9wzrtyuv',
  'uytrzw9qk14x',
  'kqwzrtyum7xb2ghjkloirt',
  'kqwzrtyum70xb2ghjkloirt',
  'kqwzrtyum2bx07ghjkloirt',
  'q0x41w0x42e0x43r0x44t0x45',
];

const ways: [string, (value: string) => string][] = [
  ['unchanged', (it) => it],
  ['after a zero', (it) => `0${it}`],
  ['after a backslash', (it) => `\\${it}`],
  ['inside a sentence', (it) => `it is 0${it}, and no other`],
  ['with a backslash before each x', (it) => it.replaceAll('x', '\\x')],
  ['with a dash before each x', (it) => it.replaceAll('x', '-x')],
  ['with a space after each zero', (it) => it.replaceAll('0', '0 ')],
  ['with dashes between all characters', (it) => [...it].join('-')],
  ['reversed', (it) => [...it].reverse().join('')],
  ['reversed after a zero', (it) => `0${[...it].reverse().join('')}`],
  ['reversed with a backslash before each x', (it) => [...it].reverse().join('').replaceAll('x', '\\x')],
];

describe.each(values)('the secret %s', (value) => {
  test.each(ways)('is removed %s', (_name, way) => {
    expect(longestLeft(value, way(value))).toBe(value.length);
    const left = redacted(value, way(value));
    expect(left).toContain('[redacted:SLOT]');
    expect(longestLeft(value, left)).toBeLessThan(12);
  });

  test('is removed as bytes with prefixes', () => {
    const bytes = [...Buffer.from(value)].map((it) => it.toString(16).padStart(2, '0'));
    for (const text of [bytes.map((it) => `0x${it}`).join(', '), bytes.map((it) => `\\x${it}`).join('')])
      expect(redacted(value, text)).toContain('[redacted:SLOT]');
  });
});

test('text without the secret stays unchanged', () => {
  const text = 'the bytes 0x41, 0x42 and \\x43\\x44 are A, B, C and D';
  expect(redacted('x41kq9wzrtyu', text)).toBe(text);
});
