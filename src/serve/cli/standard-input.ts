import type { Readable } from 'node:stream';
import { HostError } from '../../model/host-error.js';

/** Everything a stream has to say; refused as soon as it is more than that many bytes. */
export async function readAll(
  stream: Readable,
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  signal.addEventListener('abort', () => stream.destroy(), { once: true });
  for await (const chunk of stream) {
    length += (chunk as Buffer).length;
    if (length > most)
      throw new HostError('usage', `standard input has more than ${most / 1024 / 1024} MiB`, {
        hint: 'arguments are at most 1 MiB; put what is longer into a file that the tool may read',
      });
    chunks.push(chunk as Buffer);
  }
  if (signal.aborted) throw new HostError('canceled', 'interrupted');
  return Buffer.concat(chunks).toString('utf8');
}
