import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { HostError } from '../../model/host-error.js';

/** Random access to the bytes of an archive. */
export interface ByteReader {
  readonly size: number;
  /** Exactly these bytes, or fewer at the end. */
  read(offset: number, length: number): Promise<Buffer>;
}

export function bufferReader(bytes: Buffer): ByteReader {
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Opens a regular file; the work can read it until it ends. */
export async function withFileReader<T>(path: string, work: (reader: ByteReader) => Promise<T>): Promise<T> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new HostError('not_found', `${path} is not a regular file`);
    return await work({
      size: stats.size,
      async read(offset, length) {
        const wanted = Math.max(0, Math.min(length, stats.size - offset));
        const bytes = Buffer.alloc(wanted);
        let filled = 0;
        while (filled < wanted) {
          const { bytesRead } = await handle.read(bytes, filled, wanted - filled, offset + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return bytes.subarray(0, filled);
      },
    });
  } finally {
    await handle.close();
  }
}

const chunkBytes = 256 * 1024;

/** All bytes, in pieces. */
export async function* chunksOf(reader: ByteReader): AsyncGenerator<Buffer> {
  for (let at = 0; at < reader.size; at += chunkBytes) yield reader.read(at, chunkBytes);
}
