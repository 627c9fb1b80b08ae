import { expect, test } from 'vitest';
import { isKilled } from './kill-target.js';

test.each([
  ['http/laptop', 'http/laptop', true],
  // A later token with the same name.
  ['http/laptop', 'http/laptop#tok_2', true],
  ['http/laptop#tok_2', 'http/laptop', false],
  ['http/laptop', 'http/laptop2', false],
  ['ada', 'ada/cli', true],
  ['ada', 'adam/cli', false],
])('whether killing the principal %s stops %s: %s', (principal, caller, expected) => {
  expect(isKilled({ kind: 'principal', principal }, { principal: caller, package: 'a', tool: 'b' })).toBe(
    expected,
  );
});
