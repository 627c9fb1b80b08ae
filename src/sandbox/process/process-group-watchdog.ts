import type { SandboxUser } from '../path-access.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

/** Knows every running process group, and kills the remaining ones when this process exits for any reason. */
export interface ProcessGroupWatchdog {
  add(group: number): void;
  remove(group: number): void;
}

/**
 * Runs as the user of the sandboxed processes; started on first use. The kernel's parent-death signal has the same
 * effect, but a process that is still in setup has not requested it yet.
 */
export function startProcessGroupWatchdog(user: SandboxUser | undefined): ProcessGroupWatchdog {
  let started: Watchdog | undefined;
  const watchdog = () => {
    started ??= startWatchdog({
      killCommand: 'kill -9 -"$p" 2>/dev/null',
      environment: { PATH: '/usr/bin:/bin' },
      user,
    });
    return started;
  };
  return {
    add: (group) => watchdog().add(String(group)),
    remove: (group) => watchdog().remove(String(group)),
  };
}
