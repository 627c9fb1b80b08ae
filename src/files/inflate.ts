import { constants, unzipSync } from 'node:zlib';

/** Decompresses gzip or zlib data. Cut data gives what is there; null if it is something else. */
export function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array | 'too-large' | null {
  try {
    return unzipSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : null;
  }
}
