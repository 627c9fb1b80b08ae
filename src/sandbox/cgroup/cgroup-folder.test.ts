import { describe, expect, test } from 'vitest';
import { FakeCgroups } from '../../../test/support/fake-cgroups.js';
import { type CgroupOwner, findCgroupFolder } from './cgroup-folder.js';

const unified = '35 25 0:30 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n';
const own = '/sys/fs/cgroup/user.slice/app.scope';

function owner(changes: Partial<CgroupOwner> = {}): CgroupOwner {
  return {
    pid: 100,
    memberships: '0::/user.slice/app.scope\n',
    mounts: unified,
    mayWrite: () => true,
    isOwn: (pid) => pid === 100 || pid === 101,
    ...changes,
  };
}

/** A tree of version 2 in which the group of the host has the controllers. */
function tree(
  processes: readonly number[] = [100],
  controllers: readonly string[] = ['cpu', 'memory', 'pids'],
) {
  const files = new FakeCgroups('/sys/fs/cgroup', controllers);
  const all = controllers.map((it) => `+${it}`).join(' ');
  files.write('/sys/fs/cgroup/cgroup.subtree_control', all);
  files.create('/sys/fs/cgroup/user.slice');
  files.write('/sys/fs/cgroup/user.slice/cgroup.subtree_control', all);
  files.create(own);
  for (const pid of processes) files.write(`${own}/cgroup.procs`, String(pid));
  return files;
}

describe('control groups of version 2', () => {
  test('the host moves into a group of its own below, and the memory and process limits become usable', () => {
    const files = tree([100, 101]);
    expect(findCgroupFolder(files, owner())).toEqual({ version: 2, path: own });
    expect(files.read(`${own}/cgroup.procs`)).toBe('');
    expect(files.read(`${own}/toolwharf-host-100/cgroup.procs`)).toBe('100\n101\n');
    expect(files.read(`${own}/cgroup.subtree_control`)).toBe('memory pids\n');
    files.create(`${own}/sandbox`);
    expect(files.read(`${own}/sandbox/memory.max`)).toBe('max\n');
  });

  test('control: the kernel allows no limits below a group while a process is in it', () => {
    const files = tree([100]);
    expect(() => files.write(`${own}/cgroup.subtree_control`, '+memory')).toThrow('EBUSY');
  });

  test('a second sandbox of the same host uses the same folder', () => {
    const files = tree();
    findCgroupFolder(files, owner());
    const memberships = '0::/user.slice/app.scope/toolwharf-host-100\n';
    expect(findCgroupFolder(files, owner({ memberships }))).toEqual({ version: 2, path: own });
  });

  test('a group with other programs in it is not touched', () => {
    const files = tree([100, 7]);
    const before = files.dump();
    expect(findCgroupFolder(files, owner())).toMatchObject({
      reason: 'other programs run in the control group of the host',
      hint: expect.stringContaining('systemd-run --user --scope -p Delegate=yes'),
    });
    expect(files.dump()).toEqual(before);
  });

  test('a group of another user is not touched', () => {
    const files = tree();
    const before = files.dump();
    expect(findCgroupFolder(files, owner({ mayWrite: () => false }))).toMatchObject({
      reason: 'the control group of the host is not writable for it',
    });
    expect(files.dump()).toEqual(before);
  });

  test('a group without the memory controller is not touched', () => {
    const files = tree([100], ['cpu']);
    const before = files.dump();
    expect(findCgroupFolder(files, owner())).toMatchObject({
      reason: 'the control group of the host has no memory controller',
    });
    expect(files.dump()).toEqual(before);
  });

  test('a container that sees only a part of the tree uses that part', () => {
    const files = new FakeCgroups('/sys/fs/cgroup', ['memory']);
    files.write('/sys/fs/cgroup/cgroup.procs', '100');
    const mounts = unified.replace(' / /sys', ' /user.slice/app.scope /sys');
    expect(findCgroupFolder(files, owner({ mounts }))).toEqual({ version: 2, path: '/sys/fs/cgroup' });
    expect(
      findCgroupFolder(files, owner({ mounts: unified.replace(' / /sys', ' /other /sys') })),
    ).toMatchObject({ reason: expect.stringContaining('no control group file system') });
  });
});

describe('control groups of version 1', () => {
  const mounts = `${unified.replace('/sys/fs/cgroup', '/sys/fs/cgroup/unified')}36 25 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n37 25 0:32 / /sys/fs/cgroup/my\\040pids rw - cgroup cgroup rw,pids\n`;
  const memberships = '8:pids:/\n4:memory:/session\n0::/\n';

  test('groups are created below the group of the host, which keeps its processes', () => {
    const files = new FakeCgroups('/sys/fs/cgroup/memory', []);
    expect(findCgroupFolder(files, owner({ memberships, mounts }))).toEqual({
      version: 1,
      path: '/sys/fs/cgroup/memory/session',
    });
  });

  test('a folder that is not writable gives the reason', () => {
    const files = new FakeCgroups('/sys/fs/cgroup/memory', []);
    expect(findCgroupFolder(files, owner({ memberships, mounts, mayWrite: () => false }))).toMatchObject({
      reason: 'the control group of the host is not writable for it',
    });
  });

  test('without any control group the reason says so', () => {
    const files = new FakeCgroups('/sys/fs/cgroup', []);
    expect(findCgroupFolder(files, owner({ memberships: '', mounts: '' }))).toMatchObject({
      reason: 'no control group file system with a memory controller is mounted',
    });
  });
});
