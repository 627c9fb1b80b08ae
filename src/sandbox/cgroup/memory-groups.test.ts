import { describe, expect, test } from 'vitest';
import { FakeCgroups } from '../../../test/support/fake-cgroups.js';
import { defaultSandboxLimits } from '../sandbox.js';
import { limitValues } from './memory-group.js';
import { groupName, memoryGroups, removeLeftoverGroups } from './memory-groups.js';

const root = '/sys/fs/cgroup';
const host = { namespace: '4026531836', pid: 100, start: '555' };
const limits = { ...defaultSandboxLimits, memoryBytes: 1000, processes: 10 };

function bench() {
  const files = new FakeCgroups(root, ['memory', 'pids']);
  files.write(`${root}/cgroup.subtree_control`, '+memory +pids');
  const watched = new Set<string>();
  const waiting: (() => void)[] = [];
  let number = 0;
  const groups = memoryGroups({
    files,
    folder: { version: 2, path: root },
    owner: host,
    nextNumber: () => ++number,
    watchdog: { add: (name) => watched.add(name), remove: (name) => watched.delete(name) },
    later: (_milliseconds, run) => waiting.push(run),
  });
  return { files, groups, watched, waiting, path: (n: number) => `${root}/${groupName(host, n)}` };
}

describe('the group of a sandbox', () => {
  test('has the limits before a process is in it, and no swap', async () => {
    const { files, groups, path } = bench();
    const group = groups.create();
    group.limit(limits);
    await group.add(300);
    const read = (file: string) => files.read(`${path(1)}/${file}`)?.trim();
    expect(
      ['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cgroup.procs'].map(read),
    ).toEqual(['1000', '0', '1', '18', '300']);
  });

  test('reports that the kernel ended a process for its memory', () => {
    const { files, groups, path } = bench();
    const group = groups.create();
    expect(group.ranOut()).toBe(false);
    files.put(`${path(1)}/memory.events`, 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 1\n');
    expect(group.ranOut()).toBe(true);
  });

  test('is removed when its last process has ended, and known to the watchdog until then', async () => {
    const { files, groups, watched, waiting, path } = bench();
    const group = groups.create();
    await group.add(300);
    group.remove();
    expect([files.groups(root), [...watched]]).toEqual([[groupName(host, 1)], [groupName(host, 1)]]);
    files.exit(300);
    for (const run of waiting.splice(0)) run();
    expect([files.groups(root), watched.size, files.read(`${path(1)}/cgroup.procs`)]).toEqual([[], 0, null]);
  });

  test('without a memory limit is an error, never a group without one', () => {
    const files = new FakeCgroups(root, []);
    const groups = memoryGroups({
      files,
      folder: { version: 2, path: root },
      owner: host,
      nextNumber: () => 1,
      watchdog: { add: () => {}, remove: () => {} },
      later: () => {},
    });
    const group = groups.create();
    expect(() => group.limit(limits)).toThrow('the control group of the sandbox could not be limited');
  });

  test('a process that cannot be moved into it is an error', async () => {
    const { files, groups, path } = bench();
    const group = groups.create();
    files.remove(path(1));
    await expect(group.add(300)).rejects.toThrow('the control group of the sandbox could not be used');
  });
});

test('version 1 limits memory, memory with swap, and socket buffers, in the order that the kernel needs', () => {
  expect(
    limitValues(1, { ...limits, memoryBytes: 1 << 30 }).map(({ file, value }) => `${file} ${value}`),
  ).toEqual([
    'memory.limit_in_bytes 1073741824',
    'memory.memsw.limit_in_bytes 1073741824',
    'memory.swappiness 0',
    'memory.kmem.tcp.limit_in_bytes 33554432',
  ]);
});

test('only groups of hosts that no longer run are ended and removed', () => {
  const files = new FakeCgroups(root, ['memory']);
  const dead = groupName({ ...host, pid: 7, start: '1' }, 1);
  const reused = groupName({ ...host, start: '554' }, 2);
  const names = {
    dead,
    reused,
    own: groupName(host, 3),
    elsewhere: groupName({ ...host, namespace: '1', pid: 7 }, 4),
    foreign: 'user.slice',
    similar: 'toolwharf-backup',
    emptyHost: 'toolwharf-host-7',
    busyHost: 'toolwharf-host-100',
  };
  Object.values(names).forEach((name, index) => {
    files.create(`${root}/${name}`);
    if (name !== names.emptyHost) files.write(`${root}/${name}/cgroup.procs`, String(500 + index));
  });
  const killed: number[] = [];
  removeLeftoverGroups(files, root, host.namespace, {
    startOf: (pid) => (pid === host.pid ? host.start : null),
    kill: (pid) => {
      killed.push(pid);
      files.exit(pid);
    },
  });
  expect(killed).toEqual([500, 501]);
  expect([...files.groups(root)].sort()).toEqual(
    [names.own, names.elsewhere, names.foreign, names.similar, names.busyHost].sort(),
  );
});
