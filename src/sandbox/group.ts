import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { HostError } from '../model/host-error.js';
import type { Ledger } from './ledger.js';
import type { Reaper } from './reaper.js';
import type { Exit, Limits, SandboxProcess } from './sandbox.js';
import type { Watch } from './watch.js';

/** Those who make sure that nothing outlives its time, its bounds or its host. */
export interface Keepers {
  readonly reaper: Reaper;
  readonly ledger: Ledger | null;
  readonly watch: Watch;
}

/** A started child, leader of its own process group, as a process of a sandbox. */
export function processOf(
  child: ChildProcess,
  limits: Limits,
  keepers: Keepers,
  hint: string,
): SandboxProcess {
  const group = child.pid;
  let exceeded: Exit['exceeded'];
  let gone = false;
  const release = group === undefined ? () => {} : keep(group);
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', (error) =>
      reject(
        new HostError('sandbox_unavailable', 'the process could not be started', { cause: error, hint }),
      ),
    );
    child.once('close', (code, signal) => {
      gone = true;
      release();
      resolve({ code, signal, ...(exceeded === undefined ? {} : { exceeded }) });
    });
  });
  // Whoever spawns may look at the end later or never.
  exited.catch(() => {});
  child.stdin?.on('error', () => {});
  return {
    pid: group ?? -1,
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    exited,
    // Once it is gone its number may be somebody else's.
    kill: () => {
      if (!gone) killGroup(group);
    },
  };

  function keep(started: number): () => void {
    const { reaper, ledger, watch } = keepers;
    reaper.watch(started);
    try {
      ledger?.started(started);
    } catch (error) {
      // What is on no record must not run.
      killGroup(started);
      throw error;
    }
    const stopWatching = watch.over(started, limits, (what) => {
      exceeded = what;
      killGroup(started);
    });
    return () => {
      stopWatching();
      reaper.forget(started);
      ledger?.ended(started);
    };
  }
}

/** The group, not just its leader: what is still being set up does not follow its parent into death yet. */
export function killGroup(group: number | undefined): void {
  if (group === undefined) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
