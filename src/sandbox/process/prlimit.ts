import type { SandboxLimits } from '../sandbox.js';

/**
 * Added to the memory limit for the address space limit. Shared libraries, thread stacks and allocator reservations
 * count as address space without being in use. Memory in use is monitored for all processes together.
 */
export const addressSpaceExtra = 512 * 1024 * 1024;

export interface PrlimitOptions {
  readonly addressSpace: boolean;
  /** Only in a separate user namespace: elsewhere all other processes of the same user would count too. */
  readonly processes: boolean;
}

/** Wraps the command in prlimit: limits per process, which the command itself can only lower. */
export function prlimitCommand(
  argv: readonly string[],
  limits: SandboxLimits,
  options: PrlimitOptions,
): string[] {
  return [
    '/usr/bin/prlimit',
    ...(options.processes ? [`--nproc=${limits.processes}`] : []),
    `--nofile=${limits.openFiles}`,
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`,
    `--fsize=${limits.diskBytes}`,
    '--core=0',
    ...(options.addressSpace ? [`--as=${limits.memoryBytes + addressSpaceExtra}`] : []),
    '--',
    ...argv,
  ];
}
