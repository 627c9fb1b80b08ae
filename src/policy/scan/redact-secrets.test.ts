import { createHash } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inflate } from '../../files/inflate.js';
import type { Json } from '../../model/json.js';
import { rot13, toBase32 } from './encoding.js';
import { KnownValues } from './known-values.js';
import { type HiddenValues, redactNow } from './redact-secrets.js';

const hidden = (values: Readonly<Record<string, string>>): HiddenValues[] => {
  const names = Object.keys(values);
  return [{ values: new KnownValues(Object.values(values)), nameOf: (valueIndex) => names[valueIndex] }];
};
const options = {
  guesses: true,
  reportSamples: false,
  sha256: (it: Uint8Array): Uint8Array => createHash('sha256').update(it).digest(),
};
const redacted = (value: Json, values: Readonly<Record<string, string>>) =>
  redactNow(value, hidden(values), options).value;

const value = 'p@ss "wörd"/ü?& 7731';
const bytes = Buffer.from(value);
const reversed = [...value].reverse().join('');

const base32 =
  [...bytes]
    .map((it) => it.toString(2).padStart(8, '0'))
    .join('')
    .match(/.{1,5}/g)
    ?.map((it) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number.parseInt(it.padEnd(5, '0'), 2)))
    .join('') ?? '';

const encodings: readonly (readonly [string, string])[] = [
  ['raw', value],
  ['in upper case', value.toUpperCase()],
  ['JSON', JSON.stringify(value).slice(1, -1)],
  ['JSON with escaped slashes', JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/')],
  [
    'JSON in ASCII',
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[^ -~]/g, (it) => `\\u00${it.charCodeAt(0).toString(16)}`),
  ],
  ['JSON in JSON', JSON.stringify(JSON.stringify(value)).slice(3, -3)],
  ['HTML', value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  ['URL', encodeURIComponent(value)],
  ['URL in lower case', encodeURIComponent(value).replace(/%../g, (it) => it.toLowerCase())],
  ['form', new URLSearchParams({ a: value }).toString().slice(2)],
  ['URL twice', encodeURIComponent(encodeURIComponent(value))],
  ['hex', bytes.toString('hex')],
  ['HEX', bytes.toString('hex').toUpperCase()],
  ['hex with colons', bytes.toString('hex').match(/../g)?.join(':') ?? ''],
  ['hex with \\x', [...bytes].map((it) => `\\x${it.toString(16).padStart(2, '0')}`).join('')],
  ['hex with 0x', [...bytes].map((it) => `0x${it.toString(16).padStart(2, '0')}`).join(', ')],
  ['base64', bytes.toString('base64')],
  ['base64url', bytes.toString('base64url')],
  [
    'base64 in lines',
    bytes
      .toString('base64')
      .match(/.{1,7}/g)
      ?.join('\n') ?? '',
  ],
  ['base64 twice', Buffer.from(bytes.toString('base64')).toString('base64')],
  ['hex of base64', Buffer.from(bytes.toString('base64')).toString('hex')],
  ['base64 of UTF-16', Buffer.from(value, 'utf16le').toString('base64')],
  ['reversed', reversed],
  ['base32', base32],
  ['base32 in lower case', base32.toLowerCase()],
  ['in decimal codes', [...bytes].join(' ')],
  ['in decimal codes of one width', [...bytes].map((it) => String(it).padStart(3, '0')).join('')],
  ['in octal codes', [...bytes].map((it) => it.toString(8)).join(' ')],
  ['in octal escapes', [...bytes].map((it) => `\\${it.toString(8).padStart(3, '0')}`).join('')],
  ['in octal codes with 0o', [...bytes].map((it) => `0o${it.toString(8)}`).join(',')],
  ['rot13', rot13(value)],
  ['base64 of the reversed value', Buffer.from(reversed).toString('base64')],
  ['with dashes', [...value].join('-')],
  ['with dots', [...value].join('.')],
  ['with spaces', [...value].join(' ')],
  ['with newlines', [...value].join('\n')],
  ['with invisible characters', [...value].join('\u200b')],
  ['in full-width letters', value.replace(/[!-~]/g, (it) => String.fromCharCode(it.charCodeAt(0) + 0xfee0))],
];

describe('every encoding of a value is redacted', () => {
  test.each(encodings)('%s', (_name, form) => {
    const clean = redacted(`before ${form} after`, { KEY: value }) as string;
    expect(clean).toContain('[redacted:KEY]');
    // Signs at its ends may stay; letters and digits may not.
    expect(clean.replace('[redacted:KEY]', '')).toMatch(/^before (?:\\x|0x)?[^\p{L}\p{N}]* after$/u);
  });
  test.each(encodings.slice(0, 20))('%s: a second pass finds nothing', (_name, form) => {
    const clean = redacted({ a: `x ${form} y`, [form]: form }, { KEY: value });
    expect(redacted(clean, { KEY: value })).toEqual(clean);
  });
});

test('a text without the value stays unchanged', () => {
  for (const [, form] of encodings)
    expect(redacted(`a ${form}`, { KEY: 'quite another thing 99' })).toBe(`a ${form}`);
});

test('any twelve characters of a value are redacted', () => {
  const long = 'Zk9-vQ2.mX7_tR4/wL8+bN3';
  for (let start = 0; start + 12 <= long.length; start++) {
    const piece = long.slice(start, start + 12);
    expect(redacted(`see ${piece}!`, { KEY: long })).toBe('see [redacted:KEY]!');
    expect(redacted(`see ${Buffer.from(piece).toString('base64')}`, { KEY: long })).toMatch(/redacted/);
  }
  expect(redacted(long.slice(0, 8), { KEY: long })).toBe(long.slice(0, 8));
});

test('boilerplate such as https:// does not count as a part of the value', () => {
  const values = { URL: 'https://www.example.org/hook/4fQ9zK2m' };
  expect(redacted('see https://www.elsewhere.org', values)).toBe('see https://www.elsewhere.org');
  expect(redacted(`see ${values.URL}`, values)).toBe('see [redacted:URL]');
  const key = `-----BEGIN PRIVATE KEY-----\n${'QkM3ZzE5'.repeat(8)}\n-----END PRIVATE KEY-----`;
  expect(redacted('-----BEGIN PRIVATE KEY-----', { KEY: key })).toBe('-----BEGIN PRIVATE KEY-----');
});

describe('compressed data with the value is redacted as a whole', () => {
  const unpacking = { ...options, inflate };
  const scanned = (text: string) => redactNow(text, hidden({ KEY: value }), unpacking).value;
  const lines = (it: string) => it.replace(/.{76}(?=.)/g, '$&\n');
  test.each([
    ['gzip in base64', gzipSync(`a ${value}`).toString('base64')],
    ['gzip in lines of base64', lines(gzipSync(`${'some text '.repeat(3)}${value}`).toString('base64'))],
    ['gzip in hex', gzipSync(value).toString('hex')],
    ['zlib in base64', deflateSync(`{"key":${JSON.stringify(value)}}`).toString('base64')],
    ['base64 in gzip in base64', gzipSync(bytes.toString('base64')).toString('base64')],
    ['gzip in base64 in base64', Buffer.from(gzipSync(value).toString('base64')).toString('base64')],
  ])('%s', (_name, form) => {
    expect(scanned(`before ${form} after`)).toBe('before [redacted:KEY] after');
    // Control: without unpacking it passes, and other data stays.
    expect(redacted(`before ${form} after`, { KEY: value })).toContain(form);
    expect(redactNow(form, hidden({ KEY: 'quite another thing 99' }), unpacking).value).toBe(form);
  });

  test('many packed zeros are unpacked in bounded time', () => {
    const bomb = gzipSync(Buffer.alloc(3_000_000)).toString('base64');
    const began = performance.now();
    expect(scanned(`${bomb} `.repeat(12))).toBe(`${bomb} `.repeat(12));
    expect(performance.now() - began).toBeLessThan(3000);
  });
});

test('a key of a provider is found in base32, decimal codes, octal escapes and compressed data', () => {
  const key = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('');
  const codes = [...Buffer.from(key)];
  for (const form of [
    toBase32(Buffer.from(`KEY=${key}`)),
    toBase32(Buffer.from(key)).toLowerCase(),
    codes.join(', '),
    codes.map((it) => `\\${it.toString(8).padStart(3, '0')}`).join(''),
    gzipSync(key).toString('base64'),
  ])
    expect(redactNow(`a ${form} b`, [], { ...options, inflate }).value, form).toBe(
      'a [redacted:github-token] b',
    );
});

describe('a redaction takes no character beside the secret', () => {
  const token = 'Zk9vQ2mX7tR4wL8bN3pY';
  const random = ['b7Xq9TzL', '20wPvR4k', '8NmY3sHc6'].join('');
  const jwt = ['eyJhbGciOiJIUzI1NiJ9', `eyJzdWIi${random}`, random].join('.');
  test.each([
    [
      'base64 in a path',
      (it: string) => `/a/${it}/b`,
      Buffer.from(token).toString('base64url'),
      '/a/[redacted:KEY]/b',
    ],
    [
      'base64 between letters',
      (it: string) => `x${it}`,
      Buffer.from(token).toString('base64url'),
      'x[redacted:KEY]',
    ],
    [
      'base64 before a sign',
      (it: string) => `${it}=1`,
      Buffer.from(`${token}1`).toString('base64'),
      '[redacted:KEY]=1',
    ],
  ])('%s', (_name, around, form, expected) => {
    expect(redacted(around(form), { KEY: token })).toBe(expected);
  });
  test.each([
    [`curl -u "admin:${random}" https://example.org`, 'curl -u "[redacted:curl-user]" https://example.org'],
    [`The password: ${random}.`, 'The password: [redacted:assigned-secret].'],
    [
      `https://h.example/?password=${random}&user=ada`,
      'https://h.example/?password=[redacted:assigned-secret]&user=ada',
    ],
    [`{\\"id\\":\\"${jwt}\\"}`, '{\\"id\\":\\"[redacted:jwt]\\"}'],
    [
      `-----BEGIN ${'PRIVATE'} KEY-----\n${random.repeat(3)}\n${random.repeat(3)}\n\nand here the letter goes on`,
      '[redacted:private-key]\n\nand here the letter goes on',
    ],
  ])('%s', (text, expected) => {
    expect(redacted(text, {})).toBe(expected);
  });
  test('an encrypted private key is one too', () => {
    const key = `-----BEGIN RSA ${'PRIVATE'} KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n${random.repeat(4)}\n-----END RSA ${'PRIVATE'} KEY-----`;
    expect(redacted(`a ${key} b`, {})).toBe('a [redacted:private-key] b');
  });
});

describe('a value that is split is redacted', () => {
  const secret = 'tango-94-whiskey-quebec';
  const halves = [secret.slice(0, 9), secret.slice(9)];
  const shown = (it: Json) => JSON.stringify(redacted(it, { KEY: secret }));
  test.each<[string, Json]>([
    ['items', halves],
    ['letters', [...secret]],
    ['fields', { first: halves[0] as string, second: halves[1] as string }],
    ['a key and its value', { [halves[0] as string]: halves[1] as string }],
    ['nested fields', { a: { b: halves[0] as string }, c: [{ d: halves[1] as string }] }],
    ['the codes of its letters', [...secret].map((it) => it.charCodeAt(0))],
  ])('%s', (_name, it) => {
    const clean = shown(it);
    expect(clean).toContain('[redacted:KEY]');
    expect(clean).not.toMatch(/tango|whis|quebec|116,97/);
  });
});

test('values, keys and numbers are redacted; the structure stays', () => {
  const known = { A: 'alpha-secret', PIN: '48151623' };
  const before: Json = { 'x alpha-secret': [1, 48151623, null], y: { 'alpha-secret': true, z: 'no' } };
  expect(redacted(before, known)).toEqual({
    'x [redacted:A]': [1, '[redacted:PIN]', null],
    y: { '[redacted:A]': true, z: 'no' },
  });
});

test('keys that become equal get different names', () => {
  const clean = redacted(
    { alpha: 1, [Buffer.from('alpha').toString('hex')]: 2, '[redacted:A]': 3 },
    { A: 'alpha' },
  );
  expect(Object.values(clean as object)).toEqual([1, 2, 3]);
  expect(JSON.stringify(clean)).not.toContain('alpha');
});

test('a short value is redacted only as a whole', () => {
  expect(redacted('abc abc', { A: 'abc' })).toBe('abc abc');
  expect(redacted('wxyz, WXYZ, d3h5eg and w-x-y-z', { A: 'wxyz' })).toBe(
    '[redacted:A], [redacted:A], [redacted:A] and w-x-y-z',
  );
  expect(redacted(['wx', 'yz'], { A: 'wxyz' })).toEqual(['wx', 'yz']);
});

test('overlapping values become one placeholder, and placeholders are not searched', () => {
  const known = { A: 'abcdefgh', B: 'efghijkl', C: 'redacted' };
  expect(redacted('1 abcdefghijkl 2', known)).toBe('1 [redacted:A] 2');
  expect(redacted('abababab', { A: 'abab' })).toBe('[redacted:A]');
  expect(redacted('see [redacted:A]', known)).toBe('see [redacted:A]');
});

test('key patterns are not searched in declared images, but known values are', () => {
  const ghp = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('');
  const aws = ['AK', 'IA', 'Z7QWERTY2345UIOP'].join('');
  const picture = { type: 'image', mimeType: 'image/png', data: aws };
  expect(redacted(picture, { KEY: value })).toEqual(picture);
  expect(JSON.stringify(redacted({ ...picture, type: 'text' }, { KEY: value }))).not.toContain(aws);
  // Content that is not base64 is not an image, whatever the declaration says.
  expect(redacted({ ...picture, data: ghp }, { KEY: value })).toMatchObject({
    data: '[redacted:github-token]',
  });
  const carrier = { ...picture, data: Buffer.from(`....${value}....`).toString('base64') };
  expect(JSON.stringify(redacted(carrier, { KEY: value }))).toContain('[redacted:KEY]');
});

test('no part of any value is left, whatever is around it', () => {
  const secret = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 24 });
  fc.assert(
    fc.property(secret, fc.array(fc.string()), fc.nat(5), (text, around, at) => {
      fc.pre(!'[redacted:KEY]'.includes(text) && Buffer.from(text).toString() === text);
      const parts = [...around.slice(0, at), text, ...around.slice(at)];
      const clean = redacted({ joined: parts.join(''), [parts.join('-')]: parts }, { KEY: text });
      const strings: string[] = [];
      JSON.stringify(clean, (key, it) => {
        strings.push(key, typeof it === 'string' ? it : '');
        return it;
      });
      for (const it of strings)
        for (const piece of it.split('[redacted:KEY]')) expect(piece.includes(text)).toBe(false);
    }),
    { numRuns: 300 },
  );
});
