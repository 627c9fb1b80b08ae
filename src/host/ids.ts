import { randomFillSync } from 'node:crypto';

const idBytes = 16;

/**
 * Returns a function that makes ids with 128 random bits: one agent cannot guess the ids of another. Random bytes are
 * generated for many ids at once, and used bytes are wiped.
 */
export function createIdSource(): (prefix: string) => string {
  const pool = Buffer.alloc(idBytes * 256);
  let used = pool.length;
  return (prefix) => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const id = pool.toString('hex', used, used + idBytes);
    pool.fill(0, used, used + idBytes);
    used += idBytes;
    return `${prefix}_${id}`;
  };
}
