import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { MemoryGroup } from '../cgroup/memory-group.js';
import type { MemoryGroups } from '../cgroup/memory-groups.js';

/** A shell in a control group of its own, which waits for the command that it becomes. */
export interface Launcher {
  readonly child: ChildProcess;
  readonly group: MemoryGroup;
  /** Resolves when the process is in its group. */
  readonly grouped: Promise<void>;
}

/**
 * Moving a process into a group takes the kernel about 10 ms, a third of a Python start. So the next launcher is made
 * ready while the present command runs.
 */
export interface Launchers {
  /** Throws if no group can be created. `isLast`: the next one is not made ready. Default: false. */
  take(isLast?: boolean): Launcher;
  /** Ends the launcher that waits, and prepares no more. */
  close(): void;
}

export interface LauncherOptions {
  readonly groups: MemoryGroups;
  /** Starts the shell with the script and all descriptors of a sandbox. */
  readonly spawn: (script: string) => ChildProcess;
}

/** The descriptor through which the shell, and then bubblewrap, gets its input. */
const inputDescriptor = 3;
/** Time until the next launcher is prepared: the command that was just started goes first. */
const prepareMs = 5;
/** Time after which an unused launcher ends. */
const idleMs = 60_000;

/** Reads a number of lines, and then these lines, as a command. Without all of them it fails. A shell sets variables. */
export const launcherScript = `
unset PWD OLDPWD SHLVL
IFS= read -r n <&3 || exit 1
c=
while [ "$n" -gt 0 ]; do
  IFS= read -r l <&3 || exit 1
  c="$c$l
"
  n=$((n - 1))
done
eval "$c"
`;

/** The text that makes a launcher replace itself with a command. */
export function launchText(argv: readonly string[]): string {
  const quoted = argv.map((it) => `'${it.replaceAll("'", `'\\''`)}'`);
  const command = ['exec', ...quoted].join(' ');
  return `${command.split('\n').length}\n${command}\n`;
}

export function launchers({ groups, spawn }: LauncherOptions): Launchers {
  let spare: Launcher | undefined;
  let preparing = false;
  let closed = false;
  let idle: NodeJS.Timeout | undefined;

  const create = (): Launcher => {
    const group = groups.create();
    let child: ChildProcess;
    try {
      child = spawn(launcherScript);
    } catch (error) {
      group.remove();
      throw error;
    }
    const grouped = child.pid === undefined ? Promise.resolve() : group.add(child.pid);
    // The caller that takes the launcher gets the error.
    grouped.catch(() => {});
    return { child, group, grouped };
  };
  const prepare = () => {
    preparing = false;
    if (spare !== undefined || closed) return;
    let made: Launcher;
    try {
      made = create();
    } catch {
      // The next command tries again and reports it.
      return;
    }
    made.child.on('error', () => {});
    if (made.child.pid === undefined) return made.group.remove();
    spare = made;
    hold(made.child, false);
    made.child.once('close', () => {
      if (spare === made) discard();
    });
    clearTimeout(idle);
    idle = setTimeout(discard, idleMs).unref();
  };
  const discard = () => {
    (spare?.child.stdio[inputDescriptor] as Writable | undefined)?.end();
    spare?.group.remove();
    spare = undefined;
  };
  return {
    take(isLast = false) {
      if (!preparing && !closed && !isLast) {
        setTimeout(prepare, prepareMs).unref();
        preparing = true;
      }
      // It may have been killed just now.
      if (spare?.child.exitCode !== null || spare.child.signalCode !== null) discard();
      const ready = spare;
      spare = undefined;
      if (ready === undefined) return create();
      hold(ready.child, true);
      return ready;
    },
    close() {
      closed = true;
      clearTimeout(idle);
      discard();
    },
  };
}

/** Whether the host waits for the process before it exits. */
function hold(child: ChildProcess, waits: boolean): void {
  const streams = child.stdio as unknown as readonly ({ ref?(): void; unref?(): void } | null)[];
  for (const it of [child, ...streams]) {
    if (waits) it?.ref?.();
    else it?.unref?.();
  }
}
