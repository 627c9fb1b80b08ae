import type { Readable } from 'node:stream';

export interface ReadRateLimit {
  /** Bytes that are read without a delay. */
  readonly burst: number;
  readonly perSecond: number;
}

const defaultReadRate: ReadRateLimit = { burst: 32 * 1024 * 1024, perSecond: 4 * 1024 * 1024 };

/**
 * Limits how fast a log stream is read. A program that writes without end then blocks on its own output, instead of
 * keeping the host and a processor core busy.
 */
export function limitReadRate(
  stream: Readable,
  { burst, perSecond }: ReadRateLimit = defaultReadRate,
  now = () => performance.now(),
): void {
  let left = burst;
  let at = now();
  stream.on('data', (chunk: Buffer | string) => {
    const since = now() - at;
    at += since;
    left = Math.min(burst, left + (since / 1000) * perSecond) - chunk.length;
    if (left >= 0) return;
    stream.pause();
    setTimeout(() => stream.resume(), (-left / perSecond) * 1000);
  });
}
