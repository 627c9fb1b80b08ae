import { describe, expect, test } from 'vitest';
import { checkName } from './check-name.js';
import { editDistance } from './edit-distance.js';

const existing = ['acme-weather', 'billing_tools', 'notes'];
const codesOf = (id: string, names: readonly string[] = existing) =>
  checkName(id, names, 'm').map((it) => it.code.replace('contribute.', ''));

describe('a name that can be mistaken for another one is rejected', () => {
  test.each([
    'acme_weather',
    'ACME.Weather',
    'acmeweather',
    'аcme-weather',
    'acme-weathєr'.replace('є', 'е'),
    'acrne-weather',
    'b1lling_tools',
    'n0tes',
  ])('%s', (id) => {
    expect(codesOf(id)).toEqual(['name-taken']);
  });
});

test('the name of a further version, and a name of its own, have no finding', () => {
  expect(codesOf('notes')).toEqual([]);
  expect(codesOf('harbor-tides')).toEqual([]);
});

test('a small difference is a warning, and short names may differ by a letter', () => {
  expect(codesOf('acme-wether')).toEqual(['name-similar']);
  expect(codesOf('notse', ['note'])).toEqual([]);
});

test('a name that only looks like a well-known one needs a person', () => {
  expect(codesOf('githud')).toEqual(['name-known']);
  expect(codesOf('github')).toEqual([]);
});

test.each([
  ['kitten', 'sitting', 3],
  ['abcd', 'abdc', 1],
  ['abc', 'abc', 0],
  ['abc', 'abcdefgh', 4],
])('from %s to %s are %i steps, or one more than the limit', (a, b, steps) => {
  expect(editDistance(a, b, 3)).toBe(steps);
});
