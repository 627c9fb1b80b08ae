import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { HostError } from '../../model/host-error.js';
import { killGroup } from '../group.js';
import type { Exit, SandboxProcess } from '../sandbox.js';

export interface Ending {
  /** Ends the container, where there is one. */
  readonly remove: () => Promise<void>;
  readonly onEnd: () => void;
}

/**
 * The engine's command as the process of a container. Ending it ends the container too: the engine's own parts hold it,
 * not its command, so the one that was ended may leave the other.
 */
export function containedProcess(child: ChildProcess, { remove, onEnd }: Ending): SandboxProcess {
  let gone = false;
  let removing: Promise<void> | undefined;
  const clear = () => {
    removing ??= remove();
    return removing;
  };
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', (error) => {
      onEnd();
      reject(
        new HostError('sandbox_unavailable', 'the container engine could not be started', { cause: error }),
      );
    });
    child.once('close', (code, signal) => {
      gone = true;
      // By itself only after the container ended; whoever ended the command must end the container.
      const cleared = signal === null && removing === undefined ? Promise.resolve() : clear();
      void cleared.then(() => {
        onEnd();
        resolve({ code, signal });
      });
    });
  });
  exited.catch(() => {});
  child.stdin?.on('error', () => {});
  return {
    pid: child.pid ?? -1,
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    exited,
    kill: () => {
      if (gone || child.pid === undefined) return;
      killGroup(child.pid);
      void clear();
    },
  };
}
