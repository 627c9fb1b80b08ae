import type { Limits } from './sandbox.js';

/**
 * Room above the memory limit in a bound address space. Shared libraries, thread stacks and reservations of an
 * allocator count there without being in use; what is in use is watched for all processes together.
 */
const addressRoom = 512 * 1024 * 1024;

export interface Bounds {
  readonly addressSpace: boolean;
  /** Only in a user namespace of its own: elsewhere everything else of the same user would count too. */
  readonly processes: boolean;
}

/** The command behind prlimit: bounds per process, set inside, where they can only be lowered further. */
export function limited(argv: readonly string[], limits: Limits, bounds: Bounds): string[] {
  return [
    '/usr/bin/prlimit',
    ...(bounds.processes ? [`--nproc=${limits.processes}`] : []),
    `--nofile=${limits.openFiles}`,
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`,
    `--fsize=${limits.diskBytes}`,
    '--core=0',
    ...(bounds.addressSpace ? [`--as=${limits.memoryBytes + addressRoom}`] : []),
    '--',
    ...argv,
  ];
}
