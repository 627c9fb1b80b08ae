import { describe, expect, test } from 'vitest';
import type { Arguments } from './command/command.js';
import { httpOptions } from './served-http.js';

const options = (publicUrl: string, more: Record<string, string> = {}) => {
  const given: Record<string, string> = { 'public-url': publicUrl, ...more };
  const args: Arguments = {
    positionals: [],
    has: (name) => name in given,
    value: (name) => given[name],
    values: () => [],
  };
  return httpOptions(args);
};

describe('--public-url', () => {
  test.each([
    ['https://tools.example.com', 'https://tools.example.com'],
    ['https://Tools.example.com:8443/', 'https://tools.example.com:8443'],
    ['http://localhost:9000', 'http://localhost:9000'],
  ])('%s is the origin %s', (text, origin) => {
    expect(options(text)?.publicUrl).toBe(origin);
  });

  test.each([
    ['tools.example.com', 'is not a URL'],
    ['ftp://tools.example.com', 'is not a URL'],
    ['http://tools.example.com', 'is not encrypted'],
    ['https://tools.example.com/wharf', 'has more than a host'],
    ['https://tools.example.com?x', 'has more than a host'],
    ['https://me:pw@tools.example.com', 'has more than a host'],
  ])('%s %s', (text, problem) => {
    expect(() => options(text)).toThrow(problem);
  });

  test('does not fit --no-http', () => {
    expect(() => options('https://tools.example.com', { 'no-http': '' })).toThrow(
      'use --no-http or --public-url, not both',
    );
  });
});
