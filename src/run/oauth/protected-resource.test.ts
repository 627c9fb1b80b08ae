import { describe, expect, test } from 'vitest';
import { serverMetadataUrls } from './authorization-server.js';
import { isResourceOf, resourceMetadataUrls } from './protected-resource.js';

describe('a resource', () => {
  test.each([
    ['https://a.example.com/mcp', true],
    ['https://A.example.com/mcp/', true],
    ['https://a.example.com', true],
    ['https://a.example.com/mc', false],
    ['https://a.example.com/mcp/other', false],
    ['https://a.example.com:8443/mcp', false],
    ['http://a.example.com/mcp', false],
    ['https://b.example.com/mcp', false],
    ['https://a.example.com.evil.example.com/mcp', false],
    ['https://user@a.example.com/mcp', false],
    ['https://a.example.com/mcp?tenant=other', false],
    ['https://a.example.com/mcp#x', false],
    ['a.example.com', false],
  ])('%s contains the server: %s', (resource, expected) => {
    expect(isResourceOf('https://a.example.com/mcp', resource)).toBe(expected);
  });
});

test('the metadata of a server is looked for at its path, then at its root', () => {
  const suffix = 'https://a.example.com/.well-known/oauth-protected-resource';
  expect(resourceMetadataUrls('https://a.example.com/x/mcp', undefined)).toEqual([`${suffix}/x/mcp`, suffix]);
  expect(resourceMetadataUrls('https://a.example.com/', { scopes: [] })).toEqual([suffix]);
  const own = { scopes: [], resourceMetadata: 'https://a.example.com/meta' };
  expect(resourceMetadataUrls('https://a.example.com/mcp', own)).toEqual(['https://a.example.com/meta']);
});

test('the metadata of an issuer is looked for in the order of the specification', () => {
  const at = 'https://a.example.com';
  expect(serverMetadataUrls(at)).toEqual([
    `${at}/.well-known/oauth-authorization-server`,
    `${at}/.well-known/openid-configuration`,
  ]);
  expect(serverMetadataUrls(`${at}/t/1`)).toEqual([
    `${at}/.well-known/oauth-authorization-server/t/1`,
    `${at}/.well-known/openid-configuration/t/1`,
    `${at}/t/1/.well-known/openid-configuration`,
  ]);
});
