import { readFileSync } from 'node:fs';

/** Sockets that count nothing: ordinary programs use a few, with almost empty buffers. */
const freeSockets = 64;

/** Sent but unread bytes of TCP connections need about this much more memory than their content. */
const overhead = 2;

/**
 * Memory that the sockets of a network namespace may use, in bytes, as a process in it sees it. The kernel shows the
 * number of all sockets, also of those that no process has open any more, but not the fill of UNIX sockets. So each
 * counts with the most that it can contain: the seccomp filter does not let a tool make its buffers larger.
 */
export function socketMemory(pid: number, limit: number): number {
  const used = Number(/^sockets: used (\d+)/.exec(read(`/proc/${pid}/net/sockstat`))?.[1] ?? 0);
  const buffers = Math.max(0, used - freeSockets) * socketBytes();
  // TCP buffers grow by themselves. The tables are long if there are many sockets, but then they are not needed.
  if (used === 0 || buffers > limit) return buffers;
  return buffers + overhead * (queuedBytes(`/proc/${pid}/net/tcp`) + queuedBytes(`/proc/${pid}/net/tcp6`));
}

/** A setting of the machine that hardly ever changes. */
let knownSocketBytes: number | undefined;

/** A socket may exceed its buffer by one message, which may be as large as the buffer. */
function socketBytes(): number {
  knownSocketBytes ??= 2 * (Number(read('/proc/sys/net/core/wmem_default')) || 212_992);
  return knownSocketBytes;
}

/** The sum of "tx_queue:rx_queue" of all lines; hexadecimal. */
function queuedBytes(path: string): number {
  let sum = 0;
  for (const [, sent, received] of read(path).matchAll(/ ([0-9A-F]{8}):([0-9A-F]{8}) \d\d:[0-9A-F]{8} /g))
    sum += Number.parseInt(sent as string, 16) + Number.parseInt(received as string, 16);
  return sum;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
