import type { Readable } from 'node:stream';

export interface PaceBounds {
  /** Bytes that are read as fast as they come. */
  readonly burst: number;
  readonly perSecond: number;
}

const usualPace: PaceBounds = { burst: 32 * 1024 * 1024, perSecond: 4 * 1024 * 1024 };

/**
 * Reads a stream that nobody has to read no faster than it is worth. A program that writes without end then waits for its
 * own output, instead of keeping this host and a core of the machine busy.
 */
export function pace(
  stream: Readable,
  { burst, perSecond }: PaceBounds = usualPace,
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
