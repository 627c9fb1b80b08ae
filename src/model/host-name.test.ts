import { describe, expect, test } from 'vitest';
import { coversHost, isSameOrSubdomain } from './host-name.js';

describe('trust in a host name', () => {
  test.each([
    ['example.com', 'api.example.com', true],
    ['example.com', 'EXAMPLE.com.', true],
    ['example.com', 'badexample.com', false],
    ['example.com', 'example.com.evil.net', false],
    ['example.co.uk', 'api.example.co.uk', true],
    // Anyone can register names below these.
    ['com', 'example.com', false],
    ['co.uk', 'example.co.uk', false],
    ['kobe.jp', 'somebody.kobe.jp', false],
    ['somewhere.kobe.jp', 'shop.somewhere.kobe.jp', false],
    ['city.kobe.jp', 'www.city.kobe.jp', true],
    ['github.io', 'evil.github.io', false],
    ['deno.dev', 'evil.deno.dev', false],
    // These have an owner, but other people have names below them.
    ['core.windows.net', 'evil.blob.core.windows.net', false],
    ['amazonaws.com', 'bucket.s3.amazonaws.com', false],
    ['run.app', 'evil.run.app', false],
    ['localhost', 'evil.localhost', false],
    // An exact match is always covered.
    ['s3.amazonaws.com', 's3.amazonaws.com', true],
    ['127.0.0.1', '127.0.0.1', true],
    ['0.0.1', '127.0.0.1', false],
  ])('whether %s covers %s: %s', (name, host, expected) => {
    expect(coversHost(name, host)).toBe(expected);
  });
});

test.each([
  ['com', 'example.com', true],
  ['github.io', 'evil.github.io', true],
  ['example.com', 'badexample.com', false],
  ['0.0.1', '127.0.0.1', false],
  ['', 'example.com', false],
])('whether %j has the subdomain %s: %s', (above, host, expected) => {
  expect(isSameOrSubdomain(above, host)).toBe(expected);
});
