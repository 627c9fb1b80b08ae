import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
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
  /** How long a shell with nothing to watch stays. Default: 5 seconds. */
  readonly idleMs?: number;
}

/** A shell with nothing to watch ends after this time, so that closed hosts leave none. Milliseconds. */
const defaultIdleMs = 5000;

/**
 * The shell reads "+NAME" and "-NAME" lines. Its input ends when this process exits for any reason. It runs in its own
 * session, so that signals to the host's terminal do not reach it. It is started on first use.
 */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  const names = new Set<string>();
  let input: Writable | undefined;
  let idle: NodeJS.Timeout | undefined;
  return {
    add(name) {
      clearTimeout(idle);
      if (names.has(name)) return;
      names.add(name);
      input ??= startShell(options);
      input.write(`+${name}\n`);
    },
    remove(name) {
      if (!names.delete(name)) return;
      input?.write(`-${name}\n`);
      if (names.size > 0) return;
      clearTimeout(idle);
      idle = setTimeout(() => {
        input?.end();
        input = undefined;
      }, options.idleMs ?? defaultIdleMs);
      idle.unref();
    },
  };
}

function startShell({ killCommand, args = [], environment, user }: WatchdogOptions): Writable {
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
  return child.stdin;
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
