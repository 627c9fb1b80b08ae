import type { MemoryGroup } from '../cgroup/memory-group.js';
import type { ProcessExit, SandboxLimits } from '../sandbox.js';
import { folderUsage, memoryUsage, preferForOomKill, processTree } from './process-tree.js';
import { socketMemory } from './socket-memory.js';

/** Monitors what limits per process cannot enforce: memory and number of files of a whole sandbox. */
export interface ResourceMonitor {
  /** Calls back once, when a total exceeds its limit. The returned function stops monitoring. */
  watch(sandbox: WatchedSandbox, exceeded: (what: NonNullable<ProcessExit['exceeded']>) => void): () => void;
}

export interface WatchedSandbox {
  readonly pid: number;
  readonly limits: SandboxLimits;
  /** The kernel limits the memory of this group; null: the monitor counts it. */
  readonly group: MemoryGroup | null;
}

/** A private folder whose size is limited, but not its number of files. */
export interface PrivateFolder {
  readonly path: string;
  readonly bytes: (limits: SandboxLimits) => number;
}

export interface MonitorOptions {
  readonly folders: readonly PrivateFolder[];
  /** Whether each sandbox has its own network namespace; otherwise its sockets cannot be told from others. */
  readonly ownNetwork: boolean;
}

/** An empty file costs about 1 KiB of kernel memory that only a control group counts. */
const maxFiles = 50_000;
/** Interval between two checks. A short call ends before the first check. */
const intervalMs = 100;
/** Maximum interval for a sandbox in which nothing changes. */
const maxIntervalMs = 800;

interface MonitoredSandbox extends WatchedSandbox {
  readonly exceeded: (what: NonNullable<ProcessExit['exceeded']>) => void;
  next: number;
  interval: number;
  last: string;
}

/** One timer for all sandboxes, and none while nothing runs. */
export function monitorResources(options: MonitorOptions): ResourceMonitor {
  const monitored = new Set<MonitoredSandbox>();
  let timer: NodeJS.Timeout | undefined;

  const checkAll = () => {
    const now = performance.now();
    for (const it of monitored) {
      if (it.next > now) continue;
      const what = exceededLimit(it, options);
      if (what !== null) {
        monitored.delete(it);
        it.exceeded(what);
      } else it.next = now + it.interval - intervalMs / 2;
    }
    stopIfIdle();
  };
  const stopIfIdle = () => {
    if (monitored.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    watch(sandbox, exceeded) {
      const next = performance.now() + intervalMs / 2;
      const entry: MonitoredSandbox = { ...sandbox, exceeded, next, interval: intervalMs, last: '' };
      monitored.add(entry);
      timer ??= setInterval(checkAll, intervalMs).unref();
      return () => {
        monitored.delete(entry);
        stopIfIdle();
      };
    },
  };
}

function exceededLimit(
  it: MonitoredSandbox,
  { folders, ownNetwork }: MonitorOptions,
): NonNullable<ProcessExit['exceeded']> | null {
  // The kernel killed one process; the others would continue without it.
  if (it.group?.ranOut() === true) return 'memory';
  const processes = processTree(it.pid);
  // Again for all, because the first process may not have been writable during its setup.
  if (it.last === '') processes.forEach(preferForOomKill);
  // The first child of the setup process is inside the sandbox and lives as long as the sandbox.
  const inside = processes[1];
  const used = folders.map((folder) =>
    inside === undefined ? null : folderUsage(folder.path, inside, folder.bytes(it.limits)),
  );
  if (used.some((usage) => (usage?.files ?? 0) > maxFiles)) return 'files';
  const memory = it.group === null ? watchedMemory(it, processes, ownNetwork, used) : 0;
  if (memory > it.limits.memoryBytes) return 'memory';
  const snapshot = [processes.length, memory, ...used.map((usage) => usage?.files)].join(' ');
  it.interval = snapshot === it.last ? Math.min(it.interval * 2, maxIntervalMs) : intervalMs;
  it.last = snapshot;
  return null;
}

/** Everything that /proc shows. The seccomp filter denies memory that it does not show. */
function watchedMemory(
  { limits }: MonitoredSandbox,
  processes: readonly number[],
  ownNetwork: boolean,
  folders: readonly ({ readonly bytes: number } | null)[],
): number {
  const limit = limits.memoryBytes;
  const inside = processes[1];
  const sockets = ownNetwork && inside !== undefined ? socketMemory(inside, limit) : 0;
  const files = folders.reduce((sum, usage) => sum + (usage?.bytes ?? 0), 0);
  return sockets + memoryUsage(processes, limit - sockets, files);
}
