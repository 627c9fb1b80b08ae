import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The kernel keeps at most 107 bytes of a socket's path. */
const maxPathBytes = 100;

/** `host`: lives for its clients. `command`: a command that is the host for as long as it runs. */
export type HostKind = 'host' | 'command';

/** Where the host of a state directory listens; a short stand-in where the folder's own path is too long. */
export function socketPath(state: string, kind: HostKind = 'host'): string {
  const own = join(state, `${kind}.sock`);
  if (Buffer.byteLength(own) <= maxPathBytes) return own;
  const digest = createHash('sha256').update(state).digest('hex').slice(0, 16);
  // Not the temporary folder of the environment: every command must come to the same place.
  return join('/tmp', `toolwharf-${process.getuid?.() ?? 0}-${digest}`, `${kind}.sock`);
}
