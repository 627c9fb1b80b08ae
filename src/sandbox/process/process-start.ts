import { readFileSync } from 'node:fs';

/** Start time of a process, in clock ticks since boot: with the id it identifies the process. Null if it has exited. */
export function processStart(pid: number): string | null {
  try {
    return processFields(pid)[19] ?? null;
  } catch {
    return null;
  }
}

/** The fields of /proc/PID/stat after the process name, which may contain any characters. */
export function processFields(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
