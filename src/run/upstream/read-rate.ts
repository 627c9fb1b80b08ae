import type { Readable } from 'node:stream';
import { type BurstRate, TokenBucket } from '../rpc/token-bucket.js';

const defaultReadRate: BurstRate = { burst: 32 * 1024 * 1024, perSecond: 4 * 1024 * 1024 };

/**
 * Limits how fast a log stream is read. A program that writes without end then blocks on its own output, instead of
 * keeping the host and a processor core busy.
 */
export function limitReadRate(stream: Readable, limit = defaultReadRate, now?: () => number): void {
  const budget = new TokenBucket(limit, now);
  stream.on('data', (chunk: Buffer | string) => {
    const waitMs = budget.borrow(chunk.length);
    if (waitMs === 0) return;
    stream.pause();
    setTimeout(() => stream.resume(), waitMs);
  });
}
