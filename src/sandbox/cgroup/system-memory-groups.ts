import { accessSync, constants, readFileSync, readlinkSync } from 'node:fs';
import { processFields, processStart } from '../process/process-start.js';
import { startWatchdog, type Watchdog } from '../process/watchdog.js';
import { defaultSandboxLimits } from '../sandbox.js';
import { type CgroupFiles, systemCgroupFiles } from './cgroup-files.js';
import { type CgroupFolder, type CgroupOwner, findCgroupFolder, type NoCgroup } from './cgroup-folder.js';
import { usedFolders } from './cgroup-ledger.js';
import { writeLimits } from './memory-group.js';
import {
  type GroupOwner,
  groupName,
  type MemoryGroups,
  memoryGroups,
  removeLeftoverGroups,
} from './memory-groups.js';

/** All sandboxes of this process number their groups together. */
let groupNumber = 0;
const nextNumber = () => ++groupNumber;

/**
 * The control groups that this host can create, or why it can create none. Groups of killed hosts are removed: in the
 * folder of this host, and in those that the ledger in the state directory lists.
 */
export function systemMemoryGroups(ledgerFolder: string | undefined): MemoryGroups | NoCgroup {
  const files = systemCgroupFiles;
  const folder = findCgroupFolder(files, thisProcess());
  if ('reason' in folder) return folder;
  const owner = groupOwner();
  const problem = trial(files, folder, owner);
  if (problem !== null) return problem;
  for (const path of usedFolders(ledgerFolder, folder.path))
    removeLeftoverGroups(files, path, owner.namespace, { startOf: processStart, kill });
  return memoryGroups({
    files,
    folder,
    owner,
    nextNumber,
    watchdog: groupWatchdog(folder),
    later: (milliseconds, run) => void setTimeout(run, milliseconds).unref(),
  });
}

/** Creates one group, limits it and removes it: a writable folder alone does not show that this works. */
function trial(files: CgroupFiles, folder: CgroupFolder, owner: GroupOwner): NoCgroup | null {
  const path = `${folder.path}/${groupName(owner, nextNumber())}`;
  try {
    files.create(path);
    try {
      writeLimits(files, folder.version, path, defaultSandboxLimits);
    } finally {
      files.remove(path);
    }
    return null;
  } catch (error) {
    return {
      reason: `a control group with a memory limit cannot be created: ${(error as Error).message}`,
      hint: 'the kernel needs the memory controller: remove cgroup_disable=memory from its command line',
    };
  }
}

/** Ends what is left in a group and removes the group. Started on first use, by the user of the host. */
function groupWatchdog(folder: CgroupFolder): Watchdog {
  let started: Watchdog | undefined;
  const watchdog = () => {
    started ??= startWatchdog({
      killCommand: `n=0
while [ -d "$1/$p" ] && ! rmdir "$1/$p" 2>/dev/null && [ $n -lt 100 ]; do
  while read -r q; do [ "$q" -gt 1 ] && kill -9 "$q"; done < "$1/$p/cgroup.procs" 2>/dev/null
  n=$((n + 1)); sleep 0.05
done`,
      args: [folder.path],
      environment: { PATH: '/usr/bin:/bin' },
    });
    return started;
  };
  return { add: (name) => watchdog().add(name), remove: (name) => watchdog().remove(name) };
}

function thisProcess(): CgroupOwner {
  return {
    pid: process.pid,
    memberships: text('/proc/self/cgroup'),
    mounts: text('/proc/self/mountinfo'),
    mayWrite(folder) {
      try {
        accessSync(folder, constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    isOwn,
  };
}

function groupOwner(): GroupOwner {
  const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  return { namespace, pid: process.pid, start: processStart(process.pid) ?? '0' };
}

/** Whether a process is this one or one of its descendants. */
function isOwn(pid: number): boolean {
  try {
    for (let at = pid; at > 0; at = Number(processFields(at)[1])) if (at === process.pid) return true;
    return false;
  } catch {
    // It has exited.
    return true;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited, or belongs to somebody else.
  }
}

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
