import type { SandboxLimits } from '../sandbox.js';
import { addressSpaceExtra } from './prlimit.js';

/**
 * What to do if the limits that this process runs with are lower than those that tools get: a process cannot raise them.
 * `limits`: the text of `/proc/self/limits`. Undefined if they are high enough.
 */
export function resourceLimitHint(limits: string, needed: SandboxLimits): string | undefined {
  const rows = [
    ['Max file size', needed.diskBytes, 'the size of files', 'bytes', '-f'],
    ['Max open files', needed.openFiles, 'open files', 'files', '-n'],
    ['Max cpu time', needed.cpuSeconds + 1, 'CPU time', 'seconds', '-t'],
    ['Max address space', needed.memoryBytes + addressSpaceExtra, 'memory', 'bytes', '-v'],
  ] as const;
  for (const [row, atLeast, what, unit, option] of rows) {
    const line = limits.split('\n').find((it) => it.startsWith(row));
    // After the name: the soft limit, the hard limit, the unit.
    const hard = line?.slice(row.length).trim().split(/\s+/)[1];
    if (hard !== undefined && hard !== 'unlimited' && Number(hard) < atLeast)
      return `the limit for ${what} is ${hard} ${unit}, and tools need ${atLeast}: start Toolwharf with a higher one (ulimit ${option})`;
  }
  return undefined;
}
