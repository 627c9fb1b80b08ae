import { randomFillSync } from 'node:crypto';

const idBytes = 16;
const pool = Buffer.alloc(idBytes * 256);
let used = pool.length;

/**
 * 128 random bits: an id that can be told to an agent and not be guessed by another. Randomness is fetched for many at
 * once, and what was given out is wiped.
 */
export function newId(prefix: string): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.toString('hex', used, used + idBytes);
  pool.fill(0, used, used + idBytes);
  used += idBytes;
  return `${prefix}_${id}`;
}
