import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import { startWatchdog, type Watchdog } from '../watchdog.js';
import { engineEnvironment } from './engine.js';

/** On record: containers that run, so that none outlives its host for long. */
export interface Keeper {
  /** Whether the last host left any. */
  readonly left: boolean;
  /** `removal`: the words of a command that removes a container. */
  started(name: string, removal: readonly string[]): void;
  ended(name: string): void;
}

/** `path` is the file of the record: a host that was killed together with its reaper leaves lines in it. */
export function openKeeper(path: string): Keeper {
  const left = linesOf(path).length > 0;
  const running = new Set<string>();
  // Containers have another parent than the host, so the kernel ends none of them with it.
  let reaper: Watchdog | undefined;
  const write = (work: () => void) => {
    try {
      work();
    } catch (error) {
      throw new HostError('state_unusable', `the record of containers ${path} cannot be written`, {
        cause: error,
        hint: 'check who owns the state directory, and that the disk is not full',
      });
    }
  };
  return {
    left,
    started(name, removal) {
      // What is on no record must not run.
      write(() => appendFileSync(path, `${name}\n`, { mode: 0o600 }));
      running.add(name);
      reaper ??= startWatchdog({
        end: '"$@" "$p" >/dev/null 2>&1',
        words: removal,
        environment: engineEnvironment(),
      });
      reaper.add(name);
    },
    ended(name) {
      if (!running.delete(name)) return;
      reaper?.drop(name);
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
    throw new HostError('state_unusable', `the record of containers ${path} cannot be read`, {
      cause: error,
    });
  }
}
