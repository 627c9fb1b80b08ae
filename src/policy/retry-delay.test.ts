import { expect, test } from 'vitest';
import { retryDelay } from './retry-delay.js';

const leftMs = 60_000;

test('the delay doubles with each try and has a random part', () => {
  const least = (tries: number) => retryDelay({ tries, transient: {}, leftMs, random: () => 0 });
  const most = (tries: number) => retryDelay({ tries, transient: {}, leftMs, random: () => 1 });
  expect([least(1), most(1), least(2), most(2)]).toEqual([100, 200, 200, 400]);
});

test('there are at most three tries', () => {
  expect(retryDelay({ tries: 3, transient: {}, leftMs, random: () => 0 })).toBeUndefined();
});

test('a service that says when to come back is not asked earlier', () => {
  const delay = retryDelay({ tries: 1, transient: { afterMs: 2000 }, leftMs, random: () => 0 });
  expect(delay).toBeGreaterThanOrEqual(2000);
});

test('a service that asks for a long wait gets no further try', () => {
  const transient = { afterMs: 31_000 };
  expect(retryDelay({ tries: 1, transient, leftMs: 3_600_000, random: () => 0 })).toBeUndefined();
});

test('a try that cannot end within the timeout of the call is not made', () => {
  const transient = { afterMs: 1000 };
  expect(retryDelay({ tries: 1, transient, leftMs: 1200, random: () => 0 })).toBeUndefined();
  expect(retryDelay({ tries: 1, transient, leftMs: 1300, random: () => 0 })).toBe(1100);
});
