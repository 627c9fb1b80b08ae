import type { SandboxLimits } from '../sandbox.js';
import type { CgroupFiles } from './cgroup-files.js';
import type { CgroupFolder } from './cgroup-folder.js';

/** The control group of one sandbox. The kernel counts everything there: pages, page tables, pipes and sockets. */
export interface MemoryGroup {
  /** Sets the limits; before the sandbox runs anything of a package. */
  limit(limits: SandboxLimits): void;
  /** Moves a process into the group. Processes that it starts later are in the group too. */
  add(pid: number): Promise<void>;
  /** Whether the kernel killed a process of the group because of its memory limit. */
  ranOut(): boolean;
  /** Removes the group after its last process has ended. */
  remove(): void;
}

/** bubblewrap and prlimit run beside the processes of a tool. */
const setupProcesses = 8;

/** Version 1 counts TCP and UDP buffers apart from the rest. A small limit slows transfers, but breaks none. */
const maxSocketBytes = 32 * 1024 * 1024;

/** Control files with their values, in the order in which the kernel accepts them. */
export function limitValues(
  version: CgroupFolder['version'],
  limits: SandboxLimits,
): readonly { readonly file: string; readonly value: string; readonly required: boolean }[] {
  const bytes = String(limits.memoryBytes);
  if (version === 2)
    return [
      { file: 'memory.max', value: bytes, required: true },
      // Missing without swap.
      { file: 'memory.swap.max', value: '0', required: false },
      { file: 'memory.oom.group', value: '1', required: false },
      { file: 'pids.max', value: String(limits.processes + setupProcesses), required: false },
    ];
  const sockets = Math.min(maxSocketBytes, Math.floor(limits.memoryBytes / 4));
  return [
    { file: 'memory.limit_in_bytes', value: bytes, required: true },
    // Missing without swap accounting; then the group may not swap at all.
    { file: 'memory.memsw.limit_in_bytes', value: bytes, required: false },
    { file: 'memory.swappiness', value: '0', required: false },
    { file: 'memory.kmem.tcp.limit_in_bytes', value: String(sockets), required: false },
  ];
}

/** Errors of a control that this kernel does not have. */
const unsupported: readonly string[] = ['ENOENT', 'EOPNOTSUPP', 'ENOTSUP'];

/** Sets the limits of a group; a limit that is not required may be missing in this kernel, but must not fail otherwise. */
export function writeLimits(
  files: CgroupFiles,
  version: CgroupFolder['version'],
  path: string,
  limits: SandboxLimits,
): void {
  for (const { file, value, required } of limitValues(version, limits)) {
    try {
      files.write(`${path}/${file}`, value);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (required || !unsupported.includes(code)) throw error;
    }
  }
}

/** How often the kernel killed a process of the group because of its memory limit. */
export function memoryKills(files: CgroupFiles, version: CgroupFolder['version'], path: string): number {
  const text = files.read(`${path}/${version === 1 ? 'memory.oom_control' : 'memory.events'}`) ?? '';
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}
