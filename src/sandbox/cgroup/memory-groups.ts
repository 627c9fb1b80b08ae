import { HostError } from '../../model/host-error.js';
import type { Watchdog } from '../process/watchdog.js';
import type { CgroupFiles } from './cgroup-files.js';
import type { CgroupFolder } from './cgroup-folder.js';
import { type MemoryGroup, memoryKills, writeLimits } from './memory-group.js';

/** Creates the control groups of the sandboxes of one host. */
export interface MemoryGroups {
  create(): MemoryGroup;
}

/** A host as part of the names of its groups: another host can see from them whether it still runs. */
export interface GroupOwner {
  /** Number of the PID namespace, because process ids mean nothing in another one. */
  readonly namespace: string;
  readonly pid: number;
  /** Start time in clock ticks since boot. */
  readonly start: string;
}

export interface MemoryGroupOptions {
  readonly files: CgroupFiles;
  readonly folder: CgroupFolder;
  readonly owner: GroupOwner;
  /** Unique within the process: a process can have several sandboxes. */
  readonly nextNumber: () => number;
  /** Removes the groups if this process is killed. */
  readonly watchdog: Watchdog;
  readonly later: (milliseconds: number, run: () => void) => void;
}

/** The last process of a sandbox may still be ending when its output has closed. */
const retryMs = [2, 10, 50, 200, 1000];

export function memoryGroups(options: MemoryGroupOptions): MemoryGroups {
  const { files, folder, owner, nextNumber, watchdog, later } = options;
  const remove = (name: string, attempt = 0) => {
    try {
      files.remove(`${folder.path}/${name}`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const wait = retryMs[attempt];
      // The watchdog removes what is left when this process ends.
      if (code !== 'ENOENT' && wait === undefined) return;
      if (code !== 'ENOENT' && wait !== undefined) return later(wait, () => remove(name, attempt + 1));
    }
    watchdog.remove(name);
  };
  return {
    create() {
      const name = groupName(owner, nextNumber());
      const path = `${folder.path}/${name}`;
      attempt('created', () => files.create(path));
      watchdog.add(name);
      return {
        limit: (limits) => attempt('limited', () => writeLimits(files, folder.version, path, limits)),
        add: (pid) =>
          files.writeLater(`${path}/cgroup.procs`, String(pid)).catch((error: unknown) => {
            throw failed('used', error);
          }),
        ranOut: () => memoryKills(files, folder.version, path) > 0,
        remove: () => remove(name),
      };
    },
  };
}

function attempt(what: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    throw failed(what, error);
  }
}

function failed(what: string, cause: unknown): HostError {
  return new HostError('sandbox_unavailable', `the control group of the sandbox could not be ${what}`, {
    cause,
    hint: 'run toolwharf doctor; it says whether this host may still use control groups',
  });
}

export function groupName({ namespace, pid, start }: GroupOwner, number: number): string {
  return `toolwharf-${namespace}-${pid}-${start}-${number}`;
}

/** Ends and removes groups of hosts that no longer run. All other groups are left alone. */
export function removeLeftoverGroups(
  files: CgroupFiles,
  folder: string,
  namespace: string,
  {
    startOf,
    kill,
  }: { readonly startOf: (pid: number) => string | null; readonly kill: (pid: number) => void },
): void {
  for (const name of files.groups(folder)) {
    // The kernel does not remove a group with processes in it.
    if (/^toolwharf-host-\d+$/.test(name)) removeIfEmpty(files, `${folder}/${name}`);
    const [, where, pid, start] = /^toolwharf-(\d+)-(\d+)-(\d+)-\d+$/.exec(name) ?? [];
    if (where !== namespace || startOf(Number(pid)) === start) continue;
    const path = `${folder}/${name}`;
    for (const member of (files.read(`${path}/cgroup.procs`) ?? '').split('\n'))
      if (Number(member) > 1) kill(Number(member));
    removeIfEmpty(files, path);
  }
}

function removeIfEmpty(files: CgroupFiles, path: string): void {
  try {
    files.remove(path);
  } catch {
    // Its processes are still ending; the next start removes it.
  }
}
