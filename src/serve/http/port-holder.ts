import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Who listens on a port of this machine, as far as we may see it: `process 12 (node)`; undefined elsewhere than on Linux. */
export function portHolder(port: number): string | undefined {
  try {
    const socket = listener(port);
    if (socket === undefined) return undefined;
    for (const pid of readdirSync('/proc').filter((it) => /^\d+$/.test(it))) {
      if (holds(pid, socket)) return `process ${pid} (${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()})`;
    }
  } catch {
    // Not known then.
  }
  return undefined;
}

/** The socket that listens, by the name that descriptors of processes show. */
function listener(port: number): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local.endsWith(`:${hex}`) && state === '0A') return `socket:[${inode}]`;
    }
  }
  return undefined;
}

function holds(pid: string, socket: string): boolean {
  return descriptorsOf(pid).some((it) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${it}`) === socket;
    } catch {
      // This one was closed meanwhile; the others still count.
      return false;
    }
  });
}

function descriptorsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return [];
  }
}
