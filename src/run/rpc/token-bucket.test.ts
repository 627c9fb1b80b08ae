import { describe, expect, test } from 'vitest';
import { FloodGuard } from './flood-guard.js';
import { TokenBucket } from './token-bucket.js';

const limit = { burst: 10, perSecond: 2 };

describe('a token bucket', () => {
  test('gives the burst at once, and then what the seconds bring', () => {
    let now = 0;
    const bucket = new TokenBucket(limit, () => now);
    expect(bucket.take(10)).toBe(true);
    expect(bucket.take(1)).toBe(false);
    now += 1000;
    expect(bucket.take(2)).toBe(true);
    expect(bucket.take(1)).toBe(false);
  });

  test('takes nothing if there is not enough', () => {
    const bucket = new TokenBucket(limit, () => 0);
    expect(bucket.take(11)).toBe(false);
    expect(bucket.take(10)).toBe(true);
  });

  test('never holds more than the burst', () => {
    let now = 0;
    const bucket = new TokenBucket(limit, () => now);
    now += 3_600_000;
    expect(bucket.take(11)).toBe(false);
    expect(bucket.take(10)).toBe(true);
  });

  test('allows a debt, and says how long it takes to pay it back', () => {
    let now = 0;
    const bucket = new TokenBucket(limit, () => now);
    expect(bucket.borrow(10)).toBe(0);
    expect(bucket.borrow(4)).toBe(2000);
    expect(bucket.take(1)).toBe(false);
    now += 2500;
    expect(bucket.take(1)).toBe(true);
  });
});

describe('a flood guard', () => {
  test('counts messages and bytes', () => {
    const bytes = { burst: 100, perSecond: 1 };
    const byNumber = new FloodGuard({ messages: { burst: 2, perSecond: 1 }, bytes }, () => 0);
    expect([byNumber.admits(1), byNumber.admits(1), byNumber.admits(1)]).toEqual([true, true, false]);
    const bySize = new FloodGuard({ messages: { burst: 9, perSecond: 1 }, bytes }, () => 0);
    expect([bySize.admits(60), bySize.admits(60), bySize.admits(40)]).toEqual([true, false, true]);
  });

  test('counts only bytes where messages are not limited', () => {
    const guard = new FloodGuard({ messages: null, bytes: { burst: 1000, perSecond: 1 } }, () => 0);
    for (let count = 0; count < 1000; count++) expect(guard.admits(1)).toBe(true);
    expect(guard.admits(1)).toBe(false);
  });
});
