import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const decompressors = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The size limit counts decompressed bytes, as a protection against decompression bombs. */
export function decodedBody(incoming: IncomingMessage): Readable {
  const decompressor = decompressors.get(incoming.headers['content-encoding']?.trim().toLowerCase() ?? '');
  if (decompressor === undefined) return incoming;
  const stream = decompressor();
  incoming.once('error', (error) => stream.destroy(error));
  stream.once('close', () => incoming.destroy());
  return incoming.pipe(stream);
}
