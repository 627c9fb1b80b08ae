import { answer, assemble, keepBits, load, type Piece, type Span, search, when, whenOneOf } from './bpf.js';
import { auditNames, knownNumbers, type Machine, numberOf, type SystemCall } from './system-calls.js';

const allow = answer(0x7fff0000);
const killProcess = answer(0x80000000);
const refuse = (errno: number) => answer(0x00050000 | errno);
const notPermitted = refuse(1);
const noSuchCall = refuse(38);
const noSuchProtocol = refuse(93);
const noSuchFamily = refuse(97);

/** Place of an argument's low half. What the kernel declares as 32 bits must be judged by these alone. */
const argument = (index: number) => 16 + 8 * index;

/** New mount, cgroup, UTS, IPC, user, PID and network namespaces. */
const newNamespaces = 0x7e020000;
const setUserOrGroup = 0o6000;
const createsFile = 0x40 | 0x400000;

/** Calls that nothing inside needs and that lead out, or into rarely tested parts of the kernel. */
const never: readonly SystemCall[] = [
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
 * Calls that programs try first and do without. Some take their arguments from memory, where a filter cannot look;
 * some make memory that belongs to no process, where the watch on memory would not find it.
 */
const absent: readonly SystemCall[] = [
  'clone3',
  'openat2',
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'memfd_create',
  'shmget',
  'msgget',
  'semget',
];

/** Files that run as their owner would outlive the sandbox in a folder of the machine. */
const withoutSetUser = (mode: number) =>
  load(argument(mode), when('anyBit', setUserOrGroup, notPermitted, allow));
const opening = (flags: number, mode: number) =>
  load(argument(flags), when('anyBit', createsFile, withoutSetUser(mode), allow));

const family = { unix: 1, internet: 2, internet6: 10, netlink: 16 };

/** Streams and datagrams over the plain protocols; others load code into the kernel when first asked for. */
const plainInternet = load(
  argument(1),
  keepBits(
    0xf,
    whenOneOf([1, 2], load(argument(2), whenOneOf([0, 1, 6, 17, 58], allow, noSuchProtocol)), notPermitted),
  ),
);

const judged: readonly (readonly [SystemCall, Piece])[] = [
  ['clone', load(argument(0), when('anyBit', newNamespaces, notPermitted, allow))],
  // Only the ordinary personality, and the question which it is.
  ['personality', load(argument(0), whenOneOf([0, 0xffffffff], allow, notPermitted))],
  // TIOCSTI types into a terminal, TIOCLINUX pastes into one.
  ['ioctl', load(argument(1), whenOneOf([0x5412, 0x541c], notPermitted, allow))],
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
          plainInternet,
          when(
            'equal',
            family.netlink,
            load(argument(2), when('equal', 0, allow, noSuchProtocol)),
            noSuchFamily,
          ),
        ),
      ),
    ),
  ],
  ['socketpair', load(argument(0), when('equal', family.unix, allow, noSuchFamily))],
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

/** Whether there is a filter for machines of this kind, by Node's name of it. */
export function hasFilter(machine: string): machine is Machine {
  return Object.hasOwn(auditNames, machine);
}

/** The system call filter, as the bytes that the kernel loads. */
export function seccompFilter(machine: Machine): Uint8Array {
  const numbers = load(0, search(spansOf(machine)));
  return assemble(load(4, when('equal', auditNames[machine], numbers, killProcess)));
}

function spansOf(machine: Machine): Span[] {
  const rules = new Map<number, Piece>();
  const rule = (call: SystemCall, piece: Piece) => {
    const number = numberOf(call, machine);
    if (number !== null) rules.set(number, piece);
  };
  for (const it of never) rule(it, notPermitted);
  for (const it of absent) rule(it, noSuchCall);
  for (const [call, piece] of judged) rule(call, piece);
  const spans: Span[] = [];
  const add = (from: number, piece: Piece) => {
    if (spans.at(-1)?.from === from) spans.pop();
    if (spans.at(-1)?.piece !== piece) spans.push({ from, piece });
  };
  for (const [first, last] of knownNumbers[machine]) {
    for (let number = first; number <= last; number += 1) add(number, rules.get(number) ?? allow);
    add(last + 1, noSuchCall);
  }
  return spans;
}
