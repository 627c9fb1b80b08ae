import { expect, test } from 'vitest';
import { grantFor, parseGrants } from './grant.js';

test('network, file and variable grants are parsed', () => {
  expect(
    parseGrants([
      'net:API.Example.com.',
      'net:127.0.0.1:8080',
      'net:[::1]:9',
      'read:/a b',
      'write:./x',
      'env:HOME',
    ]).shared,
  ).toEqual({
    network: [
      { host: 'api.example.com', port: null },
      { host: '127.0.0.1', port: 8080 },
      { host: '::1', port: 9 },
    ],
    read: ['/a b'],
    write: ['./x'],
    environment: ['HOME'],
  });
});

test.each([
  '',
  'net',
  'net:',
  'web:x',
  ':x',
  'net:*',
  'net:*.example.com',
  'net:http://x',
  'net:a/b',
  'net:u@h',
  'net:h:0',
  'net:h:70000',
  'net:h:x',
  'net:[::1',
  'env:A-B',
  'env:A=B',
])('%j is rejected', (text) => {
  expect(() => parseGrants([text])).toThrow(expect.objectContaining({ code: 'usage' }));
});

test('a grant with a package id applies to that package only', () => {
  const grants = parseGrants([
    'weather=net:api.example.com',
    'net:127.0.0.1:1',
    'weather=read:/a=b',
    'x.y=env:A',
  ]);
  expect(grantFor(grants, 'weather')).toMatchObject({
    network: [
      { host: '127.0.0.1', port: 1 },
      { host: 'api.example.com', port: null },
    ],
    read: ['/a=b'],
    environment: [],
  });
  expect(grantFor(grants, 'x.y')).toMatchObject({ network: [{ port: 1 }], environment: ['A'] });
  expect(grantFor(grants, 'other')).toMatchObject({ network: [{ port: 1 }], read: [] });
  expect(() => parseGrants(['weather=api.example.com'])).toThrow(expect.objectContaining({ code: 'usage' }));
});
