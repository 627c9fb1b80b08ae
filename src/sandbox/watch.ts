import { filesIn, memoryOf, offerToKernel, processesBelow } from './process-tree.js';
import type { Exit, Limits } from './sandbox.js';

/** Looks after what a limit per process cannot hold: the memory and the files of a whole sandbox. */
export interface Watch {
  /** Calls back once, when a total is exceeded. The answer ends the watching. */
  over(pid: number, limits: Limits, exceeded: (what: NonNullable<Exit['exceeded']>) => void): () => void;
}

/** A private folder that is bounded in bytes but not in files. */
export interface PrivateFolder {
  readonly path: string;
  readonly bytes: (limits: Limits) => number;
}

/** An empty file costs the kernel a kilobyte that no limit counts. */
const filesAtMost = 50_000;
/** Between two looks. A short call is over before the first. */
const everyMs = 100;
/** A sandbox in which nothing changes is looked at less often, but at least this often. */
const slowestMs = 800;

interface Watched {
  readonly pid: number;
  readonly limits: Limits;
  readonly exceeded: (what: NonNullable<Exit['exceeded']>) => void;
  next: number;
  pause: number;
  last: string;
}

/** One timer for all sandboxes, and none while nothing runs. */
export function watchTotals(folders: readonly PrivateFolder[]): Watch {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    const now = performance.now();
    for (const it of watched) {
      if (it.next > now) continue;
      const what = judge(it, folders);
      if (what !== null) {
        watched.delete(it);
        it.exceeded(what);
      } else it.next = now + it.pause - everyMs / 2;
    }
    stopIfIdle();
  };
  const stopIfIdle = () => {
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    over(pid, limits, exceeded) {
      const next = performance.now() + everyMs / 2;
      const entry: Watched = { pid, limits, exceeded, next, pause: everyMs, last: '' };
      watched.add(entry);
      timer ??= setInterval(look, everyMs).unref();
      return () => {
        watched.delete(entry);
        stopIfIdle();
      };
    },
  };
}

function judge(it: Watched, folders: readonly PrivateFolder[]): NonNullable<Exit['exceeded']> | null {
  const processes = processesBelow(it.pid);
  // Whatever is started later has it from its parent.
  if (it.last === '') processes.forEach(offerToKernel);
  const memory = memoryOf(processes, it.limits.memoryBytes);
  if (memory > it.limits.memoryBytes) return 'memory';
  // The first process below the one that set the sandbox up is inside, and lives as long as it.
  const inside = processes[1];
  const files =
    inside === undefined
      ? []
      : folders.map((folder) => filesIn(folder.path, inside, folder.bytes(it.limits)) ?? 0);
  if (files.some((count) => count > filesAtMost)) return 'files';
  const seen = [processes.length, memory, ...files].join(' ');
  it.pause = seen === it.last ? Math.min(it.pause * 2, slowestMs) : everyMs;
  it.last = seen;
  return null;
}
