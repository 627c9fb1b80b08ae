import type { Readable } from 'node:stream';
import { HostError } from '../../../model/host-error.js';

/** Reads a whole stream as text. Fails as soon as it has more than `most` bytes. */
export async function readAll(
  stream: Readable,
  signal: AbortSignal,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  signal.addEventListener('abort', () => stream.destroy(), { once: true });
  for await (const chunk of stream) {
    length += (chunk as Buffer).length;
    if (length > maxBytes)
      throw new HostError('usage', `standard input has more than ${maxBytes / 1024 / 1024} MiB`, {
        hint: 'arguments can have at most 1 MiB; put longer data into a file that the tool may read',
      });
    chunks.push(chunk as Buffer);
  }
  if (signal.aborted) throw new HostError('canceled', 'interrupted');
  return Buffer.concat(chunks).toString('utf8');
}
