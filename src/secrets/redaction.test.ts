import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../model/json.js';
import { redactText, redactValues } from './redaction.js';

const value = 'p@ss "wörd"/ü?&';
const secrets = [{ slot: 'KEY', value }];
const bytes = Buffer.from(value);

describe('every usual spelling of a value', () => {
  test.each([
    ['raw', value],
    ['JSON', JSON.stringify(value).slice(1, -1)],
    ['JSON with escaped slashes', JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/')],
    ['URL', encodeURIComponent(value)],
    ['URL in lower case', encodeURIComponent(value).replace(/%../g, (it) => it.toLowerCase())],
    ['form', new URLSearchParams({ a: value }).toString().slice(2)],
    ['hex', bytes.toString('hex')],
    ['HEX', bytes.toString('hex').toUpperCase()],
    ['base64', bytes.toString('base64')],
    ['base64url', bytes.toString('base64url')],
  ])('%s', (_name, form) => {
    expect(redactText(`before ${form} after`, secrets)).toBe('before [redacted:KEY] after');
  });
});

test('base64 of something that contains the value shows nothing of it, wherever it begins', () => {
  for (const before of ['', 'u', 'us', 'user:', 'a longer name:']) {
    const encoded = Buffer.from(`${before}${value} and more`).toString('base64');
    const clean = redactText(encoded, secrets);
    expect(clean).toContain('[redacted:KEY]');
    const left = clean.split('[redacted:KEY]').map((it) => Buffer.from(it, 'base64').toString('latin1'));
    for (const it of left) expect(it).not.toContain('ss "w');
  }
});

test('values, keys and numbers; types and structure stay', () => {
  const known = [
    { slot: 'A', value: 'alpha-secret' },
    { slot: 'PIN', value: '48151623' },
  ];
  const before: Json = { 'x alpha-secret': [1, 48151623, null], y: { 'alpha-secret': true, z: 'no' } };
  expect(redactValues(before, known)).toEqual({
    'x [redacted:A]': [1, '[redacted:PIN]', null],
    y: { '[redacted:A]': true, z: 'no' },
  });
});

test('keys that become alike are kept apart', () => {
  const known = [{ slot: 'A', value: 'alpha' }];
  const clean = redactValues(
    { alpha: 1, [Buffer.from('alpha').toString('hex')]: 2, '[redacted:A]': 3 },
    known,
  );
  expect(Object.values(clean as object)).toEqual([1, 2, 3]);
  expect(JSON.stringify(clean)).not.toContain('alpha');
});

test('short values would tear holes into ordinary text', () => {
  expect(redactText('abc abc', [{ slot: 'A', value: 'abc' }])).toBe('abc abc');
});

test('overlapping secrets leave no end behind, and a placeholder is not read again', () => {
  const known = [
    { slot: 'A', value: 'abcdefgh' },
    { slot: 'B', value: 'efghijkl' },
    { slot: 'C', value: 'redacted' },
  ];
  expect(redactText('1 abcdefghijkl 2', known)).toBe('1 [redacted:A] 2');
  expect(redactText('abababab', [{ slot: 'A', value: 'abab' }])).toBe('[redacted:A]');
});

test('no secret is left in any value that holds it', () => {
  const secret = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 20 });
  fc.assert(
    fc.property(secret, fc.array(fc.string()), fc.nat(5), (text, around, at) => {
      fc.pre(!'[redacted:KEY]'.includes(text) && Buffer.from(text).toString() === text);
      const parts = [...around.slice(0, at), text, ...around.slice(at)];
      const clean = redactValues({ joined: parts.join(''), [parts.join('-')]: parts }, [
        { slot: 'KEY', value: text },
      ]);
      const strings: string[] = [];
      JSON.stringify(clean, (key, it) => {
        strings.push(key, typeof it === 'string' ? it : '');
        return it;
      });
      for (const it of strings)
        for (const piece of it.split('[redacted:KEY]')) expect(piece.includes(text)).toBe(false);
    }),
  );
});
