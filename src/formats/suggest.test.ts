import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { suggest } from './suggest.js';

const fields = ['network', 'filesystem', 'human_confirm', 'tainted_ok', 'name', 'type', 'id'];

describe('a similar name is suggested', () => {
  test.each([
    ['netwrok', 'network'],
    ['Network', 'network'],
    ['networks', 'network'],
    ['fileSystem', 'filesystem'],
    ['human-confirm', 'human_confirm'],
    ['humanConfirmed', 'human_confirm'],
    ['tainted_okay', 'tainted_ok'],
    ['taintedOk', 'tainted_ok'],
    ['nam', 'name'],
    ['tpye', 'type'],
    ['color', undefined],
    ['', undefined],
    ['x', undefined],
    ['ad', undefined],
    ['ID', 'id'],
    ['description', undefined],
  ])('%s', (name, expected) => {
    expect(suggest(name, fields)).toBe(expected);
  });
});

test('the most similar name is suggested, and the first of equally similar ones', () => {
  expect(suggest('abcdef', ['abcxyf', 'abcdex'])).toBe('abcdex');
  expect(suggest('aaaa', ['aaab', 'aaac'])).toBe('aaab');
});

test('a known name is always found, also with two letters swapped', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{4,20}$/), fc.nat(), (name, seed) => {
      const at = seed % (name.length - 1);
      const swapped = name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
      expect(suggest(name, [name])).toBe(name);
      expect(suggest(swapped, [name])).toBe(name);
    }),
  );
});

test('very long names are handled quickly', () => {
  expect(suggest('a'.repeat(1_000_000), ['a'.repeat(1_000_000)])).toBeDefined();
});
