// SECURITY.md: a value goes only to its audience. A dot at the end of a name makes it no other name, and hides none.
import { expect, test } from 'vitest';
import { coversHost, mayReceive } from '../../src/model/host-name.js';
import { covers, parseDestination } from '../../src/net/destination.js';

test('with the dot and without it is the same host, everywhere alike', () => {
  for (const [a, b] of [
    ['example.com', 'example.com.'],
    ['example.com.', 'EXAMPLE.com'],
    ['example.com', 'api.example.com.'],
  ] as const)
    expect(coversHost(a, b)).toBe(true);
  const listed = [{ host: 'example.com', port: null }];
  expect(covers(listed, parseDestination('https://example.com./'))).toBe(true);
  expect(parseDestination('https://example.com./').host).toBe('example.com');
});

test('more dots are no name, and a name below a dotted one is not the name itself', () => {
  for (const name of ['example.com..', '.example.com', 'example..com', '.', '..'])
    expect(mayReceive({ kind: 'hosts', hosts: [name] }, 'evil.example'), name).toBe(false);
  expect(coversHost('example.com', 'example.com.evil.example.')).toBe(false);
  const listed = [{ host: 'example.com', port: null }];
  expect(covers(listed, parseDestination('https://example.com.evil.example./'))).toBe(false);
});
