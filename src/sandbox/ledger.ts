import { closeSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';

/** On record in the state directory: every process group that runs, so that the next host can end what is left. */
export interface Ledger {
  started(group: number): void;
  ended(group: number): void;
  close(): void;
}

/** Lines after which the file is written anew with what still runs. */
const linesAtMost = 4096;

/**
 * Opens the record and ends what the last host left running: groups whose leader is still the same process, told
 * by when it started, on the same boot of the machine and as the expected user. The rest is history. One opener at a
 * time: each kind of sandbox has a file of its own.
 *
 * The file starts with a line for the boot; then "+GROUP START" and "-GROUP".
 */
export function openLedger(folder: string, uid: number, name = 'processes'): Ledger {
  const path = join(folder, name);
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  for (const [group, start] of leftIn(path, boot)) if (isSame(group, start, uid)) end(group);
  const running = new Map<number, string>();
  let file: number;
  let lines = 0;
  try {
    file = openSync(path, 'a', 0o600);
  } catch (error) {
    throw new HostError('state_unusable', `the record of processes ${path} cannot be written`, {
      cause: error,
      hint: 'check who owns the state directory',
    });
  }
  const write = (text: string) => {
    try {
      writeSync(file, text);
    } catch (error) {
      throw new HostError('state_unusable', `the record of processes ${path} cannot be written`, {
        cause: error,
        hint: 'check that the disk is not full',
      });
    }
  };
  const compact = () => {
    ftruncateSync(file, 0);
    write([boot, ...[...running].map(([group, start]) => `+${group} ${start}`), ''].join('\n'));
    lines = running.size;
  };
  compact();
  return {
    started(group) {
      const start = startOf(group);
      // Gone before it could be looked at.
      if (start === null) return;
      running.set(group, start);
      lines += 1;
      write(`+${group} ${start}\n`);
    },
    ended(group) {
      if (!running.delete(group)) return;
      lines += 1;
      if (lines > linesAtMost) compact();
      else write(`-${group}\n`);
    },
    close: () => closeSync(file),
  };
}

function leftIn(path: string, boot: string): Map<number, string> {
  const left = new Map<number, string>();
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return left;
    throw new HostError('state_unusable', `the record of processes ${path} cannot be read`, { cause: error });
  }
  const [head, ...lines] = text.split('\n');
  if (head !== boot) return left;
  for (const line of lines) {
    const [, sign, group, start] = /^([+-])(\d+)(?: (\d+))?$/.exec(line) ?? [];
    if (sign === '+' && start !== undefined) left.set(Number(group), start);
    if (sign === '-') left.delete(Number(group));
  }
  return left;
}

/** A number above one: those two would mean far more than a group. A child of this very host is not left over. */
function isSame(group: number, start: string, uid: number): boolean {
  try {
    const found = fieldsOf(group);
    return (
      group > 1 &&
      statSync(`/proc/${group}`).uid === uid &&
      found[19] === start &&
      found[1] !== `${process.pid}`
    );
  } catch {
    return false;
  }
}

function end(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** When a process started, in ticks since the boot. */
function startOf(pid: number): string | null {
  try {
    return fieldsOf(pid)[19] ?? null;
  } catch {
    return null;
  }
}

/** What the kernel says about a process, after its name, which may hold anything. */
function fieldsOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
