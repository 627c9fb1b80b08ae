import { describe, expect, test } from 'vitest';
import { isLoopbackHost } from '../../model/host-name.js';
import { hostCovers, hostProblem, isPrivateHost } from './host-name.js';

describe('hostProblem', () => {
  test.each([
    'example.com',
    'api.example.com',
    'API.Example.COM',
    'api.example.com.',
    'a-b.example.co.uk',
    'xn--mnchen-3ya.de',
    'user.github.io',
    'my_service.example.com',
    '1.example.com',
    'localhost',
    'service.internal',
  ])('%s is valid in an allowlist', (host) => {
    expect(hostProblem(host)).toBeNull();
  });

  test.each([
    ['', 'host-form'],
    [' ', 'host-form'],
    ['https://example.com', 'host-form'],
    ['//example.com', 'host-form'],
    ['example.com/', 'host-form'],
    ['example.com/v1', 'host-form'],
    ['example.com?x', 'host-form'],
    ['example.com:443', 'host-form'],
    ['user@example.com', 'host-form'],
    ['*', 'host-form'],
    ['*.example.com', 'host-form'],
    ['api.*.com', 'host-form'],
    ['127.0.0.1', 'host-form'],
    ['127.1', 'host-form'],
    ['2130706433', 'host-form'],
    ['0x7f000001', 'host-form'],
    ['0177.0.0.1', 'host-form'],
    ['example.1', 'host-form'],
    ['::1', 'host-form'],
    ['[::1]', 'host-form'],
    ['[::1]:80', 'host-form'],
    ['::ffff:10.0.0.1', 'host-form'],
    ['münchen.de', 'host-form'],
    ['exаmple.com', 'host-form'],
    ['example。com', 'host-form'],
    ['.example.com', 'host-form'],
    ['example..com', 'host-form'],
    ['-a.example.com', 'host-form'],
    ['a-.example.com', 'host-form'],
    ['exa mple.com', 'host-form'],
    ['example.com\n', 'host-form'],
    ['example.com\u0000', 'host-form'],
    [`${'a'.repeat(64)}.example.com`, 'host-form'],
    [`${'a.'.repeat(200)}example.com`, 'host-form'],
    ['com', 'host-too-wide'],
    ['co.uk', 'host-too-wide'],
    ['CO.UK', 'host-too-wide'],
    ['com.', 'host-too-wide'],
    ['github.io', 'host-too-wide'],
    ['s3.amazonaws.com', 'host-too-wide'],
    ['vercel.app', 'host-too-wide'],
    ['example', 'host-too-wide'],
  ])('%j is rejected as %s', (host, code) => {
    expect(hostProblem(host)?.code).toBe(`findagent.${code}`);
  });

  test('the hint suggests the plain host name', () => {
    expect(hostProblem('https://api.example.com/v1')?.hint).toBe('write "api.example.com"');
    expect(hostProblem('*.example.com')?.hint).toContain('"example.com"');
    expect(hostProblem('example.com:8443')?.hint).toContain('"example.com"');
    expect(hostProblem('münchen.de')?.hint).toBe('write "xn--mnchen-3ya.de"');
  });
});

test.each([
  ['example.com', 'example.com', true],
  ['example.com', 'api.example.com', true],
  ['Example.COM.', 'api.example.com', true],
  ['example.com', 'badexample.com', false],
  ['example.com', 'example.com.evil.net', false],
  ['api.example.com', 'example.com', false],
])('%s covers %s: %s', (allowed, host, expected) => {
  expect(hostCovers(allowed, host)).toBe(expected);
});

test.each([
  ['127.0.0.1', true, false],
  ['127.255.0.9', true, false],
  ['localhost', true, false],
  ['[::1]', true, false],
  ['127.0.0.1.example.com', false, false],
  ['10.0.0.1', false, true],
  ['172.16.0.1', false, true],
  ['172.32.0.1', false, false],
  ['192.168.4.4', false, true],
  ['169.254.169.254', false, true],
  ['100.64.0.1', false, true],
  ['[fd00::1]', false, true],
  ['[fe80::1]', false, true],
  ['[::ffff:7f00:1]', false, true],
  ['app.localhost', false, true],
  ['8.8.8.8', false, false],
  ['example.com', false, false],
])('%s: loopback %s, private %s', (host, loopback, privateRange) => {
  expect(isLoopbackHost(host)).toBe(loopback);
  expect(isPrivateHost(host)).toBe(privateRange);
});
