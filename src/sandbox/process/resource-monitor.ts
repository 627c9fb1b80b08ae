import type { ProcessExit, SandboxLimits } from '../sandbox.js';
import { countFiles, memoryUsage, preferForOomKill, processTree } from './process-tree.js';

/** Monitors what limits per process cannot enforce: memory and number of files of a whole sandbox. */
export interface ResourceMonitor {
  /** Calls back once, when a total exceeds its limit. The returned function stops monitoring. */
  watch(
    pid: number,
    limits: SandboxLimits,
    exceeded: (what: NonNullable<ProcessExit['exceeded']>) => void,
  ): () => void;
}

/** A private folder whose size is limited, but not its number of files. */
export interface PrivateFolder {
  readonly path: string;
  readonly bytes: (limits: SandboxLimits) => number;
}

/** An empty file costs about 1 KiB of kernel memory that no limit counts. */
const maxFiles = 50_000;
/** Interval between two checks. A short call ends before the first check. */
const intervalMs = 100;
/** Maximum interval for a sandbox in which nothing changes. */
const maxIntervalMs = 800;

interface MonitoredSandbox {
  readonly pid: number;
  readonly limits: SandboxLimits;
  readonly exceeded: (what: NonNullable<ProcessExit['exceeded']>) => void;
  next: number;
  interval: number;
  last: string;
}

/** One timer for all sandboxes, and none while nothing runs. */
export function monitorResources(folders: readonly PrivateFolder[]): ResourceMonitor {
  const monitored = new Set<MonitoredSandbox>();
  let timer: NodeJS.Timeout | undefined;

  const checkAll = () => {
    const now = performance.now();
    for (const it of monitored) {
      if (it.next > now) continue;
      const what = exceededLimit(it, folders);
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
    watch(pid, limits, exceeded) {
      const next = performance.now() + intervalMs / 2;
      const entry: MonitoredSandbox = { pid, limits, exceeded, next, interval: intervalMs, last: '' };
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
  folders: readonly PrivateFolder[],
): NonNullable<ProcessExit['exceeded']> | null {
  const processes = processTree(it.pid);
  // Processes that start later inherit it.
  if (it.last === '') processes.forEach(preferForOomKill);
  const memory = memoryUsage(processes, it.limits.memoryBytes);
  if (memory > it.limits.memoryBytes) return 'memory';
  // The first child of the setup process is inside the sandbox and lives as long as the sandbox.
  const inside = processes[1];
  const files =
    inside === undefined
      ? []
      : folders.map((folder) => countFiles(folder.path, inside, folder.bytes(it.limits)) ?? 0);
  if (files.some((count) => count > maxFiles)) return 'files';
  const snapshot = [processes.length, memory, ...files].join(' ');
  it.interval = snapshot === it.last ? Math.min(it.interval * 2, maxIntervalMs) : intervalMs;
  it.last = snapshot;
  return null;
}
