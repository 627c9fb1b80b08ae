import {
  assemble,
  type Block,
  keepBits,
  load,
  type NumberRange,
  returnAction,
  selectByRange,
  when,
  whenOneOf,
} from './bpf.js';
import {
  type Architecture,
  auditArchitectures,
  knownNumbers,
  numberOf,
  type SystemCall,
} from './system-calls.js';

const allow = returnAction(0x7fff0000);
const killProcess = returnAction(0x80000000);
const failWith = (errno: number) => returnAction(0x00050000 | errno);
const EPERM = failWith(1);
const ENOSYS = failWith(38);
/** The call has no effect and reports success. */
const ignore = failWith(0);
const EPROTONOSUPPORT = failWith(93);
const EAFNOSUPPORT = failWith(97);

/** Offset of the low 32 bits of an argument. The kernel uses only these for arguments declared as 32 bits. */
const argument = (index: number) => 16 + 8 * index;

/** New mount, cgroup, UTS, IPC, user, PID and network namespaces. */
const newNamespaces = 0x7e020000;
const setUserOrGroup = 0o6000;
const createsFile = 0x40 | 0x400000;

/** System calls that no tool needs, and that could break out of the sandbox or reach rarely tested kernel code. */
const deniedCalls: readonly SystemCall[] = [
  ...(['unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'chroot', 'open_tree', 'move_mount'] as const),
  ...(['fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'ptrace', 'process_vm_readv'] as const),
  ...(['process_vm_writev', 'kcmp', 'pidfd_getfd', 'process_madvise', 'process_mrelease', 'bpf'] as const),
  ...(['userfaultfd', 'keyctl', 'add_key', 'request_key', 'perf_event_open', 'kexec_load'] as const),
  ...(['kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'create_module'] as const),
  ...(['query_module', 'get_kernel_syms', 'reboot', 'swapon', 'swapoff', 'acct', 'quotactl'] as const),
  ...(['quotactl_fd', 'syslog', 'open_by_handle_at', 'name_to_handle_at', 'fanotify_init'] as const),
  ...(['fanotify_mark', 'lookup_dcookie', 'nfsservctl', 'iopl', 'ioperm', 'clock_settime'] as const),
  ...(['settimeofday', 'adjtimex', 'clock_adjtime', 'sethostname', 'setdomainname', 'vhangup'] as const),
  ...(['uselib', 'sysfs', '_sysctl', 'modify_ldt', 'move_pages', 'migrate_pages'] as const),
  ...(['remap_file_pages', 'memfd_secret'] as const),
];

/**
 * System calls for which programs have a fallback. Some take arguments from memory, which a filter cannot read; some
 * create memory that belongs to no process, which the resource monitor would not count.
 */
const missingCalls: readonly SystemCall[] = [
  'clone3',
  'openat2',
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'memfd_create',
  'shmget',
  'msgget',
  'semget',
  'vmsplice',
];

/** A set-user-id file in a mounted folder would stay on the architecture after the sandbox has ended. */
const withoutSetUser = (mode: number) => load(argument(mode), when('anyBit', setUserOrGroup, EPERM, allow));
const opening = (flags: number, mode: number) =>
  load(argument(flags), when('anyBit', createsFile, withoutSetUser(mode), allow));

const family = { unix: 1, internet: 2, internet6: 10, netlink: 16 };

/** TCP, UDP and ICMP sockets; other protocols load kernel modules on first use. */
const internetSockets = load(
  argument(1),
  keepBits(
    0xf,
    whenOneOf([1, 2], load(argument(2), whenOneOf([0, 1, 6, 17, 58], allow, EPROTONOSUPPORT)), EPERM),
  ),
);

const callsWithRules: readonly (readonly [SystemCall, Block])[] = [
  ['clone', load(argument(0), when('anyBit', newNamespaces, EPERM, allow))],
  // Only the default personality, and the query of the current one.
  ['personality', load(argument(0), whenOneOf([0, 0xffffffff], allow, EPERM))],
  // TIOCSTI injects input into a terminal, TIOCLINUX can paste into one.
  ['ioctl', load(argument(1), whenOneOf([0x5412, 0x541c], EPERM, allow))],
  [
    'socket',
    load(
      argument(0),
      when(
        'equal',
        family.unix,
        allow,
        whenOneOf(
          [family.internet, family.internet6],
          internetSockets,
          when(
            'equal',
            family.netlink,
            load(argument(2), when('equal', 0, allow, EPROTONOSUPPORT)),
            EAFNOSUPPORT,
          ),
        ),
      ),
    ),
  ],
  ['socketpair', load(argument(0), when('equal', family.unix, allow, EAFNOSUPPORT))],
  ['chmod', withoutSetUser(1)],
  ['fchmod', withoutSetUser(1)],
  ['fchmodat', withoutSetUser(2)],
  ['fchmodat2', withoutSetUser(2)],
  ['creat', withoutSetUser(1)],
  ['mknod', withoutSetUser(1)],
  ['mknodat', withoutSetUser(2)],
  ['open', opening(1, 2)],
  ['openat', opening(2, 3)],
];

/** MAP_SHARED and MAP_ANONYMOUS together. */
const sharedAnonymous = 0x21;
const socketLevel = 1;
/** SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE and SO_RCVBUFFORCE. */
const bufferSizes = [7, 8, 32, 33];
const zeroCopy = 60;

/**
 * Memory that /proc does not show, for sandboxes without a control group. Shared anonymous memory keeps its pages after
 * they were unmapped. Larger socket buffers would make the number of sockets say nothing; programs take them as a hint.
 */
const watchedCalls: readonly (readonly [SystemCall, Block])[] = [
  ['mmap', load(argument(3), keepBits(sharedAnonymous, when('equal', sharedAnonymous, EPERM, allow)))],
  [
    'setsockopt',
    load(
      argument(1),
      when(
        'equal',
        socketLevel,
        load(argument(2), whenOneOf(bufferSizes, ignore, when('equal', zeroCopy, EPERM, allow))),
        allow,
      ),
    ),
  ],
];

/** How the memory of a whole sandbox is limited: by the kernel in a control group, or by the resource monitor. */
export type MemoryControl = 'enforced' | 'watched';

/** Whether there is a filter for this architecture, by Node's name. */
export function hasFilter(architecture: string): architecture is Architecture {
  return Object.hasOwn(auditArchitectures, architecture);
}

/** The seccomp filter as a BPF program for the kernel. */
export function seccompFilter(architecture: Architecture, memory: MemoryControl): Uint8Array {
  const special = memory === 'watched' ? [...callsWithRules, ...watchedCalls] : callsWithRules;
  const numbers = load(0, selectByRange(rangesOf(architecture, special)));
  return assemble(load(4, when('equal', auditArchitectures[architecture], numbers, killProcess)));
}

function rangesOf(architecture: Architecture, special: typeof callsWithRules): NumberRange[] {
  const rules = new Map<number, Block>();
  const rule = (call: SystemCall, block: Block) => {
    const number = numberOf(call, architecture);
    if (number !== null) rules.set(number, block);
  };
  for (const it of deniedCalls) rule(it, EPERM);
  for (const it of missingCalls) rule(it, ENOSYS);
  for (const [call, block] of special) rule(call, block);
  const ranges: NumberRange[] = [];
  const add = (from: number, block: Block) => {
    if (ranges.at(-1)?.from === from) ranges.pop();
    if (ranges.at(-1)?.block !== block) ranges.push({ from, block });
  };
  for (const [first, last] of knownNumbers[architecture]) {
    for (let number = first; number <= last; number += 1) add(number, rules.get(number) ?? allow);
    add(last + 1, ENOSYS);
  }
  return ranges;
}
