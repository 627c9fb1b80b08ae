import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import { startWatchdog, type Watchdog } from '../process/watchdog.js';
import { engineEnvironment } from './engine.js';

/** The list of running containers, so that leftover ones can be removed when the host exits or starts again. */
export interface RunningContainers {
  /** Whether the last host left containers behind. */
  readonly hasLeftovers: boolean;
  /** `removal`: command and arguments that remove a container, without its name. */
  started(name: string, removal: readonly string[]): void;
  ended(name: string): void;
}

/** `path` is the file with the list. A host that was killed together with its watchdog leaves names in it. */
export function openRunningContainers(path: string): RunningContainers {
  const hasLeftovers = linesOf(path).length > 0;
  const running = new Set<string>();
  // Containers are not children of the host, so the kernel does not kill them with it.
  let watchdog: Watchdog | undefined;
  const write = (work: () => void) => {
    try {
      work();
    } catch (error) {
      throw new HostError('state_unusable', `the list of running containers ${path} cannot be written`, {
        cause: error,
        hint: 'check who owns the state directory, and that the disk is not full',
      });
    }
  };
  return {
    hasLeftovers,
    started(name, removal) {
      // A container that is not in the list must not run.
      write(() => appendFileSync(path, `${name}\n`, { mode: 0o600 }));
      running.add(name);
      watchdog ??= startWatchdog({
        killCommand: '"$@" "$p" >/dev/null 2>&1',
        args: removal,
        environment: engineEnvironment(),
      });
      watchdog.add(name);
    },
    ended(name) {
      if (!running.delete(name)) return;
      watchdog?.remove(name);
      if (running.size === 0) write(() => writeFileSync(path, ''));
    },
  };
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((it) => it !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new HostError('state_unusable', `the list of running containers ${path} cannot be read`, {
      cause: error,
    });
  }
}
