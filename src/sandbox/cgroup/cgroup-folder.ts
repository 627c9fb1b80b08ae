import { posix } from 'node:path';
import type { CgroupFiles } from './cgroup-files.js';

/** The control group below which this host may create groups with a memory limit. */
export interface CgroupFolder {
  readonly version: 1 | 2;
  readonly path: string;
}

/** Why this host gets no control groups, and what the operator can do. */
export interface NoCgroup {
  readonly reason: string;
  readonly hint: string;
}

/** The process that asks: its id, and the files of /proc that describe its groups. */
export interface CgroupOwner {
  readonly pid: number;
  /** Content of /proc/self/cgroup. */
  readonly memberships: string;
  /** Content of /proc/self/mountinfo. */
  readonly mounts: string;
  /** Whether this process may create groups in the folder. */
  readonly mayWrite: (folder: string) => boolean;
  /** Whether a process is this one or was started by it. */
  readonly isOwn: (pid: number) => boolean;
}

const delegate =
  'start the host in a group of its own: systemd-run --user --scope -p Delegate=yes toolwharf serve (as root without --user)';

const hostGroup = /^toolwharf-host-\d+$/;

/** Finds the folder, and prepares it: version 2 does not allow processes beside groups with a limit. */
export function findCgroupFolder(files: CgroupFiles, owner: CgroupOwner): CgroupFolder | NoCgroup {
  const [legacy] = groupPaths(owner, 'cgroup', 'memory');
  if (legacy !== undefined)
    return owner.mayWrite(legacy)
      ? { version: 1, path: legacy }
      : { reason: 'the control group of the host is not writable for it', hint: delegate };
  const [own] = groupPaths(owner, 'cgroup2', '');
  if (own === undefined)
    return {
      reason: 'no control group file system with a memory controller is mounted',
      hint: 'mount one: sudo mount -t cgroup2 none /sys/fs/cgroup',
    };
  // A second sandbox of the same host finds the host in the group that the first one made.
  const path = hostGroup.test(posix.basename(own)) ? posix.dirname(own) : own;
  return prepare(files, owner, path);
}

function prepare(files: CgroupFiles, owner: CgroupOwner, path: string): CgroupFolder | NoCgroup {
  const missing = (reason: string): NoCgroup => ({ reason, hint: delegate });
  if (!owner.mayWrite(path)) return missing('the control group of the host is not writable for it');
  if (!words(files.read(`${path}/cgroup.controllers`)).includes('memory'))
    return missing('the control group of the host has no memory controller');
  const present = words(files.read(`${path}/cgroup.procs`)).map(Number);
  // Another program in the same group means that the group was not made for this host.
  if (!present.every(owner.isOwn)) return missing('other programs run in the control group of the host');
  try {
    if (present.length > 0) moveInto(files, `${path}/toolwharf-host-${owner.pid}`, present);
    const wanted = words(files.read(`${path}/cgroup.controllers`)).filter(
      (it) => it === 'memory' || it === 'pids',
    );
    const active = words(files.read(`${path}/cgroup.subtree_control`));
    const added = wanted.filter((it) => !active.includes(it));
    if (added.length > 0)
      files.write(`${path}/cgroup.subtree_control`, added.map((it) => `+${it}`).join(' '));
  } catch (error) {
    return missing(`the control group of the host cannot be divided: ${(error as Error).message}`);
  }
  return { version: 2, path };
}

function moveInto(files: CgroupFiles, group: string, pids: readonly number[]): void {
  if (files.read(`${group}/cgroup.procs`) === null) files.create(group);
  for (const pid of pids) files.write(`${group}/cgroup.procs`, String(pid));
}

/** The folder of this process in each mounted hierarchy of a type; at most one has the controller. */
function groupPaths(owner: CgroupOwner, type: 'cgroup' | 'cgroup2', controller: string): string[] {
  const membership = owner.memberships
    .split('\n')
    .map((it) => /^\d+:([^:]*):(.*)$/.exec(it))
    .find((it) => it?.[1]?.split(',').includes(controller));
  if (membership === undefined || membership === null) return [];
  const group = membership[2] as string;
  return owner.mounts.split('\n').flatMap((line) => {
    const [front = '', back = ''] = line.split(' - ');
    const [kind, , options = ''] = back.split(' ');
    const [, , , root = '', point = ''] = front.split(' ').map(unescaped);
    if (kind !== type || (controller !== '' && !options.split(',').includes(controller))) return [];
    // A container may see only a part of the hierarchy.
    const inside =
      root === '/'
        ? group
        : group === root
          ? '/'
          : group.startsWith(`${root}/`)
            ? group.slice(root.length)
            : null;
    return inside === null || inside.startsWith('/..') ? [] : [posix.join(point, inside).replace(/\/$/, '')];
  });
}

/** mountinfo writes a space, tab, line break and backslash as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function words(text: string | null): string[] {
  return (text ?? '').split(/\s+/).filter((it) => it !== '');
}
