import { join } from 'node:path';
import { sha256 } from '../../files/sha256.js';

/** The kernel limits a socket path to 107 bytes. */
const maxPathBytes = 100;

/** `host`: a host that waits for clients. `command`: a command that acts as the host while it runs. */
export type HostKind = 'host' | 'command';

/** The socket of a state directory's host. If that path is too long, a short path in /tmp is used. */
export function socketPath(state: string, kind: HostKind = 'host'): string {
  const own = join(state, `${kind}.sock`);
  if (Buffer.byteLength(own) <= maxPathBytes) return own;
  const digest = sha256(state).slice(0, 16);
  // Not TMPDIR, because every command must use the same path.
  return join('/tmp', `toolwharf-${process.getuid?.() ?? 0}-${digest}`, `${kind}.sock`);
}
