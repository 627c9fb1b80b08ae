import { spawn } from 'node:child_process';
import type { SandboxUser } from '../path-access.js';

/** A shell that outlives this process for a moment and then ends everything that was added and not removed. */
export interface Watchdog {
  add(name: string): void;
  remove(name: string): void;
}

export interface WatchdogOptions {
  /** Shell command that ends `$p`; `$@` are `args`. */
  readonly killCommand: string;
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Default: the user of this process. */
  readonly user?: SandboxUser | undefined;
}

/**
 * The shell reads "+NAME" and "-NAME" lines. Its input ends when this process exits for any reason. It runs in its own
 * session, so that signals to the host's terminal do not reach it.
 */
export function startWatchdog({ killCommand, args = [], environment, user }: WatchdogOptions): Watchdog {
  const child = spawn('/bin/sh', ['-c', script(killCommand), 'watchdog', ...args], {
    ...user,
    cwd: '/',
    env: environment,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return {
    add: (name) => void child.stdin.write(`+${name}\n`),
    remove: (name) => void child.stdin.write(`-${name}\n`),
  };
}

function script(killCommand: string): string {
  return `
l=' '
while read -r a; do
  case $a in
    +*) l="$l\${a#+} " ;;
    -*) p=\${a#-}; l="\${l%% $p *} \${l#* $p }" ;;
  esac
done
for p in $l; do ${killCommand}; done
exit 0
`;
}
