import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { HostError } from '../../model/host-error.js';
import type { MemoryGroup } from '../cgroup/memory-group.js';
import type { ProcessExit, SandboxLimits, SandboxProcess } from '../sandbox.js';
import type { PidFile } from './pid-file.js';
import type { ProcessGroupWatchdog } from './process-group-watchdog.js';
import { preferForOomKill } from './process-tree.js';
import type { ResourceMonitor } from './resource-monitor.js';

/** What makes sure that no process outlives its limits or its host. */
export interface ProcessGuards {
  readonly watchdog: ProcessGroupWatchdog;
  readonly pidFile: PidFile | null;
  readonly monitor: ResourceMonitor;
}

export interface ProcessGroupOptions {
  readonly limits: SandboxLimits;
  readonly guards: ProcessGuards;
  /** What to do if the process cannot be started. */
  readonly hint: string;
  /** The control group of the sandbox; null: there are no control groups here. */
  readonly group: MemoryGroup | null;
  /** Resolves when the process is confined and may begin; if it rejects, the process is killed. */
  readonly confined: Promise<void>;
}

/** Wraps a started child, which leads its own process group, as a sandbox process. */
export function sandboxProcessOf(child: ChildProcess, options: ProcessGroupOptions): SandboxProcess {
  const { limits, guards, hint, group: memory, confined } = options;
  const group = child.pid;
  let exceeded: ProcessExit['exceeded'];
  let gone = false;
  let killed = false;
  let failure: unknown;
  const release = group === undefined ? () => {} : register(group);
  confined.catch((error: unknown) => {
    // A process that was killed during its setup cannot be moved into its control group any more.
    if (killed || gone) return;
    failure = error;
    killGroup(group);
  });
  const exited = new Promise<ProcessExit>((resolve, reject) => {
    child.once('error', (error) => {
      memory?.remove();
      reject(
        new HostError('sandbox_unavailable', 'the process could not be started', { cause: error, hint }),
      );
    });
    child.once('close', (code, signal) => {
      gone = true;
      release();
      // The kernel may have killed it since the last check.
      if (memory?.ranOut() === true) exceeded ??= 'memory';
      memory?.remove();
      if (failure !== undefined) reject(failure);
      else resolve({ code, signal, ...(exceeded === undefined ? {} : { exceeded }) });
    });
  });
  // The caller may never wait for the exit.
  exited.catch(() => {});
  child.stdin?.on('error', () => {});
  return {
    pid: group ?? -1,
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    exited,
    // After the exit the group id may belong to another process group.
    kill: () => {
      killed = true;
      if (!gone) killGroup(group);
    },
  };

  function register(started: number): () => void {
    const { watchdog, pidFile, monitor } = guards;
    watchdog.add(started);
    try {
      pidFile?.started(started);
    } catch (error) {
      // A group that is not in the PID file must not run.
      killGroup(started);
      memory?.remove();
      throw error;
    }
    preferForOomKill(started);
    const stopWatching = monitor.watch({ pid: started, limits, group: memory }, (what) => {
      exceeded = what;
      killed = true;
      killGroup(started);
    });
    return () => {
      stopWatching();
      watchdog.remove(started);
      pidFile?.ended(started);
    };
  }
}

/** Kills the whole group: a process still in setup has not yet requested the parent-death signal. */
export function killGroup(group: number | undefined): void {
  if (group === undefined) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
