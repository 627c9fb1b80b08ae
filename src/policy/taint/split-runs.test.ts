import { expect, test } from 'vitest';
import { splitRuns } from './split-runs.js';

test.each([
  ['It is QX 77 81 ZT, he said', [['It', 'is', 'QX', '77', '81', 'ZT', 'he', 'said']]],
  ['QX-7781-ZT', [['QX', '7781', 'ZT']]],
  ['longer words around 4 7 of them', [['4', '7', 'of', 'them']]],
  ['no digit in it', []],
  ['(12) 34', []],
  ['number4711 12', []],
  ['', []],
])('%s', (text, expected) => expect(splitRuns(text)).toEqual(expected));

test('a long run is cut, so that its parts are few', () => {
  const runs = splitRuns('1 2 3 4 5 6 7 8 9 '.repeat(50));
  expect(runs.length).toBeGreaterThan(20);
  for (const it of runs) expect(it.length).toBeLessThanOrEqual(16);
});
