import { describe, expect, test } from 'vitest';
import { resolveNpmRange } from './npm-range.js';
import { isPep440Specifier, resolvePep440 } from './pep440.js';
import { comparePep440, parsePep440 } from './pep440-version.js';

describe('a Python version', () => {
  /** From PEP 440, oldest first. */
  const ordered = [
    '1.dev0',
    '1.0.dev456',
    '1.0a1',
    '1.0a2.dev456',
    '1.0a12.dev456',
    '1.0a12',
    '1.0b1.dev456',
    '1.0b2',
    '1.0b2.post345.dev456',
    '1.0b2.post345',
    '1.0rc1.dev456',
    '1.0rc1',
    '1.0',
    '1.0+abc.5',
    '1.0+abc.7',
    '1.0+5',
    '1.0.post456.dev34',
    '1.0.post456',
    '1.0.15',
    '1.1.dev1',
    '1.10',
    '2013.10',
    '1!0.1',
  ];

  test('is older or newer as PEP 440 says', () => {
    for (const [index, text] of ordered.entries())
      for (const [other, otherText] of ordered.entries()) {
        const [a, b] = [parsePep440(text), parsePep440(otherText)];
        if (a === undefined || b === undefined) throw new Error(`${text} or ${otherText} was not read`);
        expect([text, otherText, Math.sign(comparePep440(a, b))]).toEqual([
          text,
          otherText,
          Math.sign(index - other),
        ]);
      }
  });

  const equal = [
    ['1.0', '1.0.0'],
    ['v1.0', '1.0'],
    ['1.0-alpha.1', '1.0a1'],
    ['1.0.BETA2', '1.0b2'],
    ['1.0c1', '1.0rc1'],
    ['1.0pre3', '1.0rc3'],
    ['1.0-1', '1.0.post1'],
    ['1.0.rev2', '1.0.post2'],
    ['1.0a', '1.0a0'],
    ['0!1.0', '1.0'],
    ['1.0+ubuntu-1', '1.0+ubuntu.1'],
    ['1.0_dev2', '1.0.dev2'],
  ] as const;
  test.each(equal)('%s equals %s', (a, b) => {
    expect(comparePep440(parsePep440(a) as never, parsePep440(b) as never)).toBe(0);
  });

  test.each(['', 'x', '1.0-', '1.0+', '1..0', '1.0 beta', '1.0.*', `${'1.'.repeat(100)}1`])(
    '%j is not one',
    (text) => {
      expect(parsePep440(text)).toBeUndefined();
    },
  );
});

describe('a range of Python versions', () => {
  const versions = [
    '0.9',
    '1.0',
    '1.0.post1',
    '1.4',
    '1.4.2',
    '1.4.2+local',
    '1.5rc1',
    '2.0a1',
    '2.0',
    '2.1.dev3',
    '3.0b1',
    'junk',
  ];
  const table: readonly (readonly [range: string, version: string | undefined])[] = [
    ['', '2.0'],
    ['==1.4', '1.4'],
    ['==1.4.0', '1.4'],
    ['== 1.4.2', '1.4.2+local'],
    ['==1.4.2+local', '1.4.2+local'],
    ['==1.4.*', '1.4.2+local'],
    ['!=2.*', '1.4.2+local'],
    ['!=2.0', '1.4.2+local'],
    ['~=1.0', '1.4.2+local'],
    ['~=1.4.1', '1.4.2+local'],
    ['~=1.0.0', '1.0.post1'],
    ['>=1.4,<2', '1.4.2+local'],
    ['>=1.4,<2,!=1.4.2', '1.4'],
    ['>1.0,<1.4', undefined],
    ['>1.0.post0,<1.4', '1.0.post1'],
    ['<1', '0.9'],
    ['<=1.0', '1.0'],
    ['<2.0a1', '1.4.2+local'],
    ['==1.5rc1', '1.5rc1'],
    ['>=1.5rc1,<2', '1.5rc1'],
    ['>2', '3.0b1'],
    ['>=2.1.dev1', '3.0b1'],
    ['===1.4', '1.4'],
    ['===1.4.0', undefined],
    ['>=9', undefined],
    ['~=1', undefined],
    ['^1.0', undefined],
    ['>=1.*', undefined],
    ['1.4', undefined],
  ];
  test.each(table)('%s takes %s', (range, version) => {
    expect(resolvePep440(versions, range)).toBe(version);
  });

  test('is checked before anything is fetched', () => {
    expect(['', '==1', '>=1,<2', '~=1.2'].every(isPep440Specifier)).toBe(true);
    expect(['1', '~=1', '>=1.*', '==1,', '>=1+x'].some(isPep440Specifier)).toBe(false);
  });
});

describe('a range of npm versions', () => {
  const versions = ['0.9.0', '1.0.0', '1.4.0', '1.4.2', '2.0.0-rc.1', '2.0.0', '2.1.0'];
  const tags = { latest: '2.0.0', next: '2.1.0', gone: '9.9.9' };
  const table: readonly (readonly [range: string, version: string | undefined])[] = [
    ['latest', '2.0.0'],
    ['next', '2.1.0'],
    ['gone', undefined],
    ['unknown', undefined],
    ['constructor', undefined],
    ['1.4.0', '1.4.0'],
    ['^1.0', '1.4.2'],
    ['~1.4.0', '1.4.2'],
    ['>=1', '2.0.0'],
    ['*', '2.0.0'],
    ['>2.0.0', '2.1.0'],
    ['2.0.0-rc.1', '2.0.0-rc.1'],
    ['<2', '1.4.2'],
    ['1.x || 0.9.0', '1.4.2'],
    ['>=3', undefined],
  ];
  test.each(table)('%s takes %s', (range, version) => {
    expect(resolveNpmRange(versions, range, tags)).toBe(version);
  });
});
