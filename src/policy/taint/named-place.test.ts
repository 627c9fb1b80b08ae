import { describe, expect, test } from 'vitest';
import { isRegistrable, readPlace } from './named-place.js';

describe('what a value names', () => {
  test.each([
    [
      'https://www.Shop.example.com/a/b/',
      { kind: 'host', host: 'shop.example.com', page: '/a/b', plain: true },
    ],
    ['www.best_discount.com', { kind: 'host', host: 'best_discount.com', page: '', plain: true }],
    ['example.com:443/x?y=1', { kind: 'host', host: 'example.com', page: '/x?y=1', plain: true }],
    ['https://bank.com@evil.com/', { kind: 'host', host: 'evil.com', page: '', plain: false }],
    ['https://bank.com\\@evil.com', { kind: 'host', host: 'bank.com', page: '\\@evil.com', plain: false }],
    ['https://bаnk.com', { kind: 'host', host: 'bаnk.com', page: '', plain: false }],
    ['https://xn--bnk-6cd.com', { kind: 'host', host: 'xn--bnk-6cd.com', page: '', plain: false }],
    ['ftp://example.com/x', { kind: 'host', host: 'example.com', page: '/x', plain: false }],
    ['Mail@Example.com', { kind: 'address', text: 'mail@example.com' }],
    ['/home/me/notes.txt', { kind: 'path', text: '/home/me/notes.txt' }],
    ['notes.md', { kind: 'name', text: 'notes.md' }],
    ['report.pdf', { kind: 'name', text: 'report.pdf' }],
    ['Alice', { kind: 'name', text: 'alice' }],
    ['DE8937040044', { kind: 'name', text: 'de8937040044' }],
  ])('%s', (value, expected) => expect(readPlace(value)).toEqual(expected));

  test('only the registered domain itself is registrable', () => {
    expect(isRegistrable('best_discount.com')).toBe(true);
    expect(isRegistrable('data.example.com')).toBe(false);
    expect(isRegistrable('10.0.0.1')).toBe(false);
  });
});
