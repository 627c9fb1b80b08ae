import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The process that listens on a local port, such as `process 12 (node)`. Undefined if not visible to us or not Linux. */
export function portOwner(port: number): string | undefined {
  try {
    const socket = listener(port);
    if (socket === undefined) return undefined;
    for (const pid of readdirSync('/proc').filter((it) => /^\d+$/.test(it))) {
      if (hasSocket(pid, socket))
        return `process ${pid} (${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()})`;
    }
  } catch {
    // /proc is missing or not readable.
  }
  return undefined;
}

/** The listening socket, in the form that links in /proc/PID/fd have. */
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

function hasSocket(pid: string, socket: string): boolean {
  return descriptorsOf(pid).some((it) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${it}`) === socket;
    } catch {
      // This descriptor was closed in the meantime; check the others.
      return false;
    }
  });
}

function descriptorsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    // The process has ended, or belongs to another user.
    return [];
  }
}
