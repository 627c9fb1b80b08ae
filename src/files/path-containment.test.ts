import { isAbsolute, relative, sep } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBelow, isWithin } from './path-containment.js';

test.each([
  ['/a/b', '/a', true],
  ['/a', '/a', true],
  ['/a/', '/a', true],
  ['/a', '/a/', true],
  ['/a/b/../c', '/a', true],
  ['/a/..b', '/a', true],
  ['/a//b', '/a', true],
  ['/anything', '/', true],
  ['/', '/', true],
  ['/ab', '/a', false],
  ['/', '/a', false],
  ['/b', '/a', false],
  ['/a/../b', '/a', false],
  ['/a/..', '/a', false],
  ['/a/b/../../..', '/a', false],
  ['/a/./../b', '/a/.', false],
])('%s within %s: %s', (path, folder, expected) => {
  expect(isWithin(path, folder)).toBe(expected);
});

test('a folder is not below itself, however it is written', () => {
  expect(isBelow('/a', '/a')).toBe(false);
  expect(isBelow('/a/', '/a')).toBe(false);
  expect(isBelow('/', '/')).toBe(false);
  expect(isBelow('/a/b', '/a')).toBe(true);
  expect(isBelow('/a', '/')).toBe(true);
});

test('the quick comparison has the result of the exact one', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'ab', '.', '..', '', '...', '.a'), { maxLength: 6 })
    .map((it) => `/${it.join('/')}`);
  const exact = (inner: string, folder: string) => {
    const way = relative(folder, inner);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  };
  fc.assert(
    fc.property(path, path, (inner, folder) => {
      expect(isWithin(inner, folder)).toBe(exact(inner, folder));
    }),
  );
});
