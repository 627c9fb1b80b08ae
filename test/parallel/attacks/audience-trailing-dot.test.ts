// SECURITY.md: "A secret leaves only to its audience". A dot at the end does not change which host a name
// means.
import { expect, test } from 'vitest';
import { coversHost, mayReceive } from '../../../src/model/host-name.js';
import { coversDestination, parseDestination } from '../../../src/net/destination.js';

test('a name with a trailing dot is the same host as without it', () => {
  for (const [a, b] of [
    ['example.com', 'example.com.'],
    ['example.com.', 'EXAMPLE.com'],
    ['example.com', 'api.example.com.'],
  ] as const)
    expect(coversHost(a, b)).toBe(true);
  const listed = [{ host: 'example.com', port: null }];
  expect(coversDestination(listed, parseDestination('https://example.com./'))).toBe(true);
  expect(parseDestination('https://example.com./').host).toBe('example.com');
});

test('names with extra dots are rejected, and a longer name with a dot is another host', () => {
  for (const name of ['example.com..', '.example.com', 'example..com', '.', '..'])
    expect(mayReceive({ kind: 'hosts', hosts: [name] }, 'evil.example'), name).toBe(false);
  expect(coversHost('example.com', 'example.com.evil.example.')).toBe(false);
  const listed = [{ host: 'example.com', port: null }];
  expect(coversDestination(listed, parseDestination('https://example.com.evil.example./'))).toBe(false);
});
