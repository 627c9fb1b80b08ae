import type { User } from './access.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

/** Told of every process group that runs; ends those that are left when this process ends, however it ends. */
export interface Reaper {
  watch(group: number): void;
  forget(group: number): void;
}

/**
 * Runs as the user of the confined processes; started when it is first needed. The kernel's parent-death signal does the same a
 * moment later, but a process that is still being set up has not asked for it yet.
 */
export function startReaper(user: User | undefined): Reaper {
  let started: Watchdog | undefined;
  const survivor = () => {
    started ??= startWatchdog({
      end: 'kill -9 -"$p" 2>/dev/null',
      environment: { PATH: '/usr/bin:/bin' },
      user,
    });
    return started;
  };
  return {
    watch: (group) => survivor().add(String(group)),
    forget: (group) => survivor().drop(String(group)),
  };
}
