import { spawn } from 'node:child_process';
import type { User } from './access.js';

/** A shell that outlives this process by a moment, and then ends what is left of what it was told of. */
export interface Watchdog {
  add(name: string): void;
  drop(name: string): void;
}

export interface WatchdogOptions {
  /** A command of the shell that ends `$p`; `$@` are the words given beside it. */
  readonly end: string;
  readonly words?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Another user than ours. */
  readonly user?: User | undefined;
}

/** Reads "+NAME" and "-NAME" lines; the end of its input is the end of this process, however it ends. In a session of its own. */
export function startWatchdog({ end, words = [], environment, user }: WatchdogOptions): Watchdog {
  const child = spawn('/bin/sh', ['-c', script(end), 'reaper', ...words], {
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
    drop: (name) => void child.stdin.write(`-${name}\n`),
  };
}

function script(end: string): string {
  return `
l=' '
while read -r a; do
  case $a in
    +*) l="$l\${a#+} " ;;
    -*) p=\${a#-}; l="\${l%% $p *} \${l#* $p }" ;;
  esac
done
for p in $l; do ${end}; done
exit 0
`;
}
