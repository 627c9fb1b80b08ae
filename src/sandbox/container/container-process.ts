import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { HostError } from '../../model/host-error.js';
import { killGroup } from '../process/process-group.js';
import type { ProcessExit, SandboxProcess } from '../sandbox.js';

export interface ContainerCleanup {
  /** Removes the container if it exists. */
  readonly remove: () => Promise<void>;
  readonly onEnd: () => void;
}

/**
 * Wraps the engine's command as the process of a container. Killing it removes the container too: the container is a
 * child of the engine's service, so killing the command alone would leave it running.
 */
export function containerProcess(child: ChildProcess, { remove, onEnd }: ContainerCleanup): SandboxProcess {
  let hasExited = false;
  let removing: Promise<void> | undefined;
  const removeOnce = () => {
    removing ??= remove();
    return removing;
  };
  const exited = new Promise<ProcessExit>((resolve, reject) => {
    child.once('error', (error) => {
      onEnd();
      reject(
        new HostError('sandbox_unavailable', 'the container engine could not be started', {
          ...{ cause: error, notStarted: true },
        }),
      );
    });
    child.once('close', (code, signal) => {
      hasExited = true;
      // Without a signal the command exits only after the container. If it was killed, the container must be removed.
      const removed = signal === null && removing === undefined ? Promise.resolve() : removeOnce();
      void removed.then(() => {
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
      if (hasExited || child.pid === undefined) return;
      killGroup(child.pid);
      void removeOnce();
    },
  };
}
