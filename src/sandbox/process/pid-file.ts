import { closeSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { processFields, processStart } from './process-start.js';

/** A file in the state directory with all running process groups, so that the next host can kill leftover ones. */
export interface PidFile {
  started(group: number): void;
  ended(group: number): void;
  close(): void;
}

/** After this many lines the file is rewritten with the groups that still run. */
const maxLines = 4096;

/**
 * Opens the file and kills what the last host left running: groups whose leader is still the same process (same start
 * time, same boot, expected user). All other entries are ignored. Only one host may have the file open, and each kind
 * of sandbox has its own file.
 *
 * Format: the first line is the boot id; then "+GROUP START" and "-GROUP".
 */
export function openPidFile(folder: string, uid: number, name = 'processes'): PidFile {
  const path = join(folder, name);
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  for (const [group, start] of leftoverGroups(path, boot)) if (isSame(group, start, uid)) end(group);
  const running = new Map<number, string>();
  let file: number;
  let lines = 0;
  try {
    file = openSync(path, 'a', 0o600);
  } catch (error) {
    throw new HostError('state_unusable', `the PID file ${path} cannot be written`, {
      cause: error,
      hint: 'check who owns the state directory',
    });
  }
  const write = (text: string) => {
    try {
      writeSync(file, text);
    } catch (error) {
      throw new HostError('state_unusable', `the PID file ${path} cannot be written`, {
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
      const start = processStart(group);
      // It already exited.
      if (start === null) return;
      running.set(group, start);
      lines += 1;
      write(`+${group} ${start}\n`);
    },
    ended(group) {
      if (!running.delete(group)) return;
      lines += 1;
      if (lines > maxLines) compact();
      else write(`-${group}\n`);
    },
    close: () => closeSync(file),
  };
}

function leftoverGroups(path: string, boot: string): Map<number, string> {
  const left = new Map<number, string>();
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return left;
    throw new HostError('state_unusable', `the PID file ${path} cannot be read`, { cause: error });
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

/** Groups 0 and 1 are excluded: signals to them would reach far more. A child of this host is not a leftover. */
function isSame(group: number, start: string, uid: number): boolean {
  try {
    const found = processFields(group);
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
