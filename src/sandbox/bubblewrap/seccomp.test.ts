import { describe, expect, test } from 'vitest';
import { assemble, returnAction, selectByRange, when } from './bpf.js';
import { hasFilter, seccompFilter } from './seccomp.js';
import {
  type Architecture,
  auditArchitectures,
  numberOf,
  type SystemCall,
  systemCalls,
} from './system-calls.js';

const allowed = 0x7fff0000;
const killed = 0x80000000;
const errno = (number: number) => 0x00050000 | number;
const [EPERM, ENOSYS, EPROTONOSUPPORT, EAFNOSUPPORT] = [errno(1), errno(38), errno(93), errno(97)];

const architectures: readonly Architecture[] = ['x64', 'arm64'];

describe.each(architectures)('the seccomp filter for %s', (architecture) => {
  const filter = seccompFilter(architecture, 'enforced');
  const runFilter = (number: number, ...values: readonly (number | bigint)[]) =>
    run(filter, callOf(auditArchitectures[architecture], number, values));
  const call = (name: SystemCall, ...values: readonly (number | bigint)[]) => {
    const number = numberOf(name, architecture);
    return number === null ? null : runFilter(number, ...values);
  };

  test('without a control group denies memory that is not shown in /proc, and ignores larger socket buffers', () => {
    const watched = seccompFilter(architecture, 'watched');
    const both = (name: SystemCall, ...values: readonly (number | bigint)[]) => {
      const data = callOf(auditArchitectures[architecture], numberOf(name, architecture) ?? -1, values);
      return [run(filter, data), run(watched, data)];
    };
    // Shared, private and shared with a file; then with a flag that only newer kernels check.
    expect(both('mmap', 0, 4096, 3, 0x21)).toEqual([allowed, EPERM]);
    expect(both('mmap', 0, 4096, 3, 0x23)).toEqual([allowed, EPERM]);
    expect(both('mmap', 0, 4096, 3, 0x4021)).toEqual([allowed, EPERM]);
    expect(both('mmap', 0, 4096, 3, 0x22)).toEqual([allowed, allowed]);
    expect(both('mmap', 0, 4096, 3, 0x01)).toEqual([allowed, allowed]);
    for (const option of [7, 8, 32, 33])
      expect(both('setsockopt', 3, 1, option)).toEqual([allowed, errno(0)]);
    expect(both('setsockopt', 3, 1, 60)).toEqual([allowed, EPERM]);
    expect(both('setsockopt', 3, 1, 2)).toEqual([allowed, allowed]);
    expect(both('setsockopt', 3, 6, 7)).toEqual([allowed, allowed]);
    expect(both('vmsplice')).toEqual([ENOSYS, ENOSYS]);
  });

  test('is a valid program: every jump stays inside, and the last instruction is a return', () => {
    const count = filter.length / 8;
    expect(count).toBeLessThan(4096);
    const view = new DataView(filter.buffer);
    for (let index = 0; index < count; index += 1) {
      const code = view.getUint16(index * 8, true);
      const far = Math.max(view.getUint8(index * 8 + 2), view.getUint8(index * 8 + 3));
      if ((code & 7) === 5)
        expect(index + 1 + (code === 5 ? view.getUint32(index * 8 + 4, true) : far)).toBeLessThan(count);
    }
    expect(view.getUint16((count - 1) * 8, true)).toBe(6);
  });

  test('kills a process that uses another calling convention', () => {
    expect(run(filter, callOf(0x40000003, 1, []))).toBe(killed);
    expect(run(filter, callOf(auditArchitectures[architecture === 'x64' ? 'arm64' : 'x64'], 1, []))).toBe(
      killed,
    );
  });

  test('fails unknown system call numbers with ENOSYS', () => {
    const unknown = [457, 458, 463, 470, 512, 547, 0x40000000, 0x40000001, 0x7fffffff, 0xffffffff, 350, 423];
    for (const number of unknown) expect(runFilter(number), String(number)).toBe(ENOSYS);
    const gaps = architecture === 'x64' ? [335] : [244, 259, 295, 403];
    for (const number of gaps) expect(runFilter(number), String(number)).toBe(ENOSYS);
  });

  test('allows every ordinary system call', () => {
    const special = new Set(Object.keys(systemCalls).map((it) => numberOf(it as SystemCall, architecture)));
    for (let number = 0; number < (architecture === 'x64' ? 335 : 244); number += 1)
      if (!special.has(number)) expect(runFilter(number), String(number)).toBe(allowed);
  });

  const denied: readonly SystemCall[] = [
    ...(['unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'chroot', 'open_tree', 'move_mount'] as const),
    ...(['fsopen', 'fsmount', 'mount_setattr', 'ptrace', 'process_vm_readv', 'process_vm_writev'] as const),
    ...(['kcmp', 'pidfd_getfd', 'bpf', 'userfaultfd', 'keyctl', 'add_key', 'request_key'] as const),
    ...(['perf_event_open', 'kexec_load', 'kexec_file_load', 'init_module', 'finit_module'] as const),
    ...(['delete_module', 'reboot', 'swapon', 'swapoff', 'acct', 'quotactl', 'syslog'] as const),
    ...(['open_by_handle_at', 'name_to_handle_at', 'fanotify_init', 'lookup_dcookie'] as const),
    ...(['nfsservctl', 'iopl', 'ioperm', 'clock_settime', 'settimeofday', 'adjtimex'] as const),
  ];
  test.each(denied)('denies %s', (name) => {
    expect([EPERM, null]).toContain(call(name));
  });

  test.each(['clone3', 'openat2', 'io_uring_setup'] as const)('fails %s with ENOSYS', (name) => {
    expect(call(name)).toBe(ENOSYS);
  });

  test('allows threads and forks, and denies new namespaces', () => {
    expect(call('clone', 0x01200011)).toBe(allowed);
    expect(call('clone', 0x003d0f00)).toBe(allowed);
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(call('clone', flag | 17)).toBe(EPERM);
      // The kernel ignores the upper 32 bits too.
      expect(call('clone', (1n << 32n) | BigInt(flag))).toBe(EPERM);
    }
  });

  test('denies input injection into a terminal, also with set upper bits', () => {
    expect(call('ioctl', 0, 0x5413)).toBe(allowed);
    for (const number of [0x5412n, 0x541cn]) {
      expect(call('ioctl', 0, number)).toBe(EPERM);
      expect(call('ioctl', 0, number | (1n << 32n))).toBe(EPERM);
    }
  });

  test('allows unix sockets, TCP, UDP, ICMP and route netlink sockets only', () => {
    for (const type of [1, 2, 5, 1 | 0x80000 | 0x800]) expect(call('socket', 1, type, 0)).toBe(allowed);
    for (const domain of [2, 10]) {
      for (const [type, protocol] of [
        [1, 6],
        [2, 17],
        [1 | 0x80800, 0],
        [2, 58],
      ] as const)
        expect(call('socket', domain, type, protocol)).toBe(allowed);
      expect(call('socket', domain, 3, 1)).toBe(EPERM);
      expect(call('socket', domain, 10, 0)).toBe(EPERM);
      expect(call('socket', domain, 1, 132)).toBe(EPROTONOSUPPORT);
    }
    expect(call('socket', 16, 3, 0)).toBe(allowed);
    expect(call('socket', 16, 3, 12)).toBe(EPROTONOSUPPORT);
    for (const domain of [0, 3, 4, 9, 15, 17, 21, 29, 31, 38, 40, 44, 45])
      expect(call('socket', domain, 1, 0), String(domain)).toBe(EAFNOSUPPORT);
    expect(call('socketpair', 1, 1, 0)).toBe(allowed);
    expect(call('socketpair', 30, 1, 0)).toBe(EAFNOSUPPORT);
  });

  test('denies every way to create a set-user-id or set-group-id file', () => {
    const calls: readonly (readonly [SystemCall, (mode: number) => number[]])[] = [
      ['chmod', (mode) => [0, mode]],
      ['fchmod', (mode) => [3, mode]],
      ['fchmodat', (mode) => [3, 0, mode]],
      ['fchmodat2', (mode) => [3, 0, mode]],
      ['creat', (mode) => [0, mode]],
      ['mknod', (mode) => [0, mode | 0o100000]],
      ['mknodat', (mode) => [3, 0, mode | 0o100000]],
      ['open', (mode) => [0, 0x41, mode]],
      ['openat', (mode) => [3, 0, 0x41, mode]],
      ['openat', (mode) => [3, 0, 0x410002, mode]],
    ];
    for (const [name, values] of calls) {
      expect([allowed, null], name).toContain(call(name, ...values(0o1755)));
      for (const mode of [0o4755, 0o2755, 0o6000])
        expect([EPERM, null], name).toContain(call(name, ...values(mode)));
    }
    // If no file is created, the kernel ignores the mode argument.
    expect(call('openat', 3, 0, 0, 0o6755)).toBe(allowed);
  });

  test('allows reading the personality and denies changing it', () => {
    expect(call('personality', 0)).toBe(allowed);
    expect(call('personality', 0xffffffffn)).toBe(allowed);
    for (const value of [0x0400000, 0x0040000, 8, 0x20000]) expect(call('personality', value)).toBe(EPERM);
  });
});

describe('BPF blocks', () => {
  test('support branches longer than a conditional jump reaches', () => {
    const ranges = Array.from({ length: 900 }, (_, from) => ({ from, block: returnAction(from) }));
    const load = { code: 0x20, whenTrue: 0, whenFalse: 0, value: 0 };
    const program = assemble([load, ...selectByRange(ranges)]);
    for (const number of [0, 1, 254, 255, 256, 449, 450, 451, 898, 899])
      expect(run(program, callOf(0, number, []))).toBe(number);
    const long = assemble([load, ...when('equal', 7, selectByRange(ranges), returnAction(0xbad))]);
    expect(run(long, callOf(0, 7, []))).toBe(7);
    expect(run(long, callOf(0, 8, []))).toBe(0xbad);
  });

  test('exist only for architectures with known system call numbers', () => {
    expect(architectures.every(hasFilter)).toBe(true);
    expect(hasFilter('riscv64')).toBe(false);
    expect(hasFilter('toString')).toBe(false);
  });
});

/** The data that the kernel passes to a filter. */
function callOf(architecture: number, number: number, values: readonly (number | bigint)[]): DataView {
  const view = new DataView(new ArrayBuffer(64));
  view.setUint32(0, number >>> 0, true);
  view.setUint32(4, architecture, true);
  for (const [index, value] of values.entries()) view.setBigUint64(16 + 8 * index, BigInt(value), true);
  return view;
}

/** A BPF interpreter with the instructions that the filters use. */
function run(program: Uint8Array, data: DataView): number {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  let at = 0;
  let accumulator = 0;
  for (;;) {
    const code = view.getUint16(at * 8, true);
    const jump = (taken: boolean) => view.getUint8(at * 8 + (taken ? 2 : 3));
    const value = view.getUint32(at * 8 + 4, true);
    switch (code) {
      case 0x20:
        accumulator = data.getUint32(value, true);
        break;
      case 0x54:
        accumulator = (accumulator & value) >>> 0;
        break;
      case 0x05:
        at += value;
        break;
      case 0x15:
        at += jump(accumulator === value);
        break;
      case 0x35:
        at += jump(accumulator >= value);
        break;
      case 0x45:
        at += jump((accumulator & value) !== 0);
        break;
      case 0x06:
        return value;
      default:
        throw new Error(`unknown instruction ${code}`);
    }
    at += 1;
  }
}
