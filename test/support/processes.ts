// The processes of this machine, for tests that check what was started and what is left.
import { readdirSync, readFileSync } from 'node:fs';
import { until } from './toolwharf.js';

export interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

export function allProcesses(): Seen[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const end = stat.lastIndexOf(')');
      const [state = '', parent = '0'] = stat.slice(end + 2).split(' ');
      if (state === 'Z') return [];
      return [{ pid: Number(entry), parent: Number(parent), name: stat.slice(stat.indexOf('(') + 1, end) }];
    } catch {
      // The process has ended in the meantime.
      return [];
    }
  });
}

/** All descendants of `root` that belong to a sandbox. */
export function sandboxed(root: number): Seen[] {
  const all = allProcesses();
  const below = (pid: number): Seen[] =>
    all.filter((it) => it.parent === pid).flatMap((it) => [it, ...below(it.pid)]);
  return below(root).filter((it) => /^(?:bwrap|python3|prlimit)/.test(it.name));
}

/** The sandboxes of this process: the process IDs of their outermost processes. */
export function running(): number[] {
  return sandboxed(process.pid)
    .filter((it) => it.parent === process.pid && it.name === 'bwrap')
    .map((it) => it.pid);
}

/** Waits until exactly `count` sandboxes run and stay; the sandbox of the last call may still be ending. */
export async function waiting(count = 1): Promise<number[]> {
  let before: number[] = [];
  await until(async () => {
    before = running();
    await pause(250);
    return before.length === count && running().join() === before.join();
  });
  return before;
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
