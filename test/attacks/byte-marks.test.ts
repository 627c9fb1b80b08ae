// `0x` and `\x` before bytes are left out when values are looked for among letters and digits alone. A value can have an x before
// two hexadecimal digits of its own; a tool that says it so that its x passes for such a mark says it all the same.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { KnownValues } from '../../src/policy/scan/known.js';
import { redactNow } from '../../src/policy/scan/redact.js';

const look = {
  guesses: false,
  samples: false,
  sha256: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest(),
};

function said(value: string, text: string): string {
  const hiding = [{ values: new KnownValues([value]), nameOf: () => 'SLOT' }];
  return redactNow(text, hiding, look).value as string;
}

/** Most characters of a value that stand in a text one after the other, whatever stands between them. */
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
  ['as it is', (it) => it],
  ['after a nought', (it) => `0${it}`],
  ['after a backslash', (it) => `\\${it}`],
  ['among words', (it) => `it is 0${it}, and no other`],
  ['with a backslash before each x', (it) => it.replaceAll('x', '\\x')],
  ['with a sign before each x', (it) => it.replaceAll('x', '-x')],
  ['with a sign after each nought', (it) => it.replaceAll('0', '0 ')],
  ['with signs between all characters', (it) => [...it].join('-')],
  ['backwards', (it) => [...it].reverse().join('')],
  ['backwards after a nought', (it) => `0${[...it].reverse().join('')}`],
  ['backwards with a backslash before each x', (it) => [...it].reverse().join('').replaceAll('x', '\\x')],
];

describe.each(values)('%s', (value) => {
  test.each(ways)('%s', (_name, way) => {
    expect(longestLeft(value, way(value))).toBe(value.length);
    const left = said(value, way(value));
    expect(left).toContain('[redacted:SLOT]');
    expect(longestLeft(value, left)).toBeLessThan(12);
  });

  test('as bytes with their marks', () => {
    const bytes = [...Buffer.from(value)].map((it) => it.toString(16).padStart(2, '0'));
    for (const text of [bytes.map((it) => `0x${it}`).join(', '), bytes.map((it) => `\\x${it}`).join('')])
      expect(said(value, text)).toContain('[redacted:SLOT]');
  });
});

test('what has nothing of it stays', () => {
  const text = 'the bytes 0x41, 0x42 and \\x43\\x44 are A, B, C and D';
  expect(said('x41kq9wzrtyu', text)).toBe(text);
});
