/** Processor architectures with known system call numbers, by Node's name. */
export type Architecture = 'x64' | 'arm64';

/** The AUDIT_ARCH value that the kernel passes to a seccomp filter. */
export const auditArchitectures: Readonly<Record<Architecture, number>> = {
  x64: 0xc000003e,
  arm64: 0xc00000b7,
};

/**
 * Ranges of known system call numbers: first and last. All other numbers fail with ENOSYS: those of other calling
 * conventions, and system calls that are newer than this list.
 */
export const knownNumbers: Readonly<Record<Architecture, readonly (readonly [number, number])[]>> = {
  x64: [
    [0, 334],
    [424, 456],
  ],
  arm64: [
    [0, 243],
    [260, 294],
    [424, 456],
  ],
};

/** Numbers of the system calls that the filter treats specially: x64, then arm64; null if the architecture lacks it. */
export const systemCalls = {
  clone: [56, 220],
  clone3: [435, 435],
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  bpf: [321, 280],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  userfaultfd: [323, 282],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  perf_event_open: [298, 241],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, null],
  query_module: [178, null],
  get_kernel_syms: [177, null],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  personality: [135, 92],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  iopl: [172, null],
  ioperm: [173, null],
  clock_settime: [227, 112],
  settimeofday: [164, 170],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  uselib: [134, null],
  sysfs: [139, null],
  _sysctl: [156, null],
  modify_ldt: [154, null],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  remap_file_pages: [216, 234],
  memfd_secret: [447, 447],
  memfd_create: [319, 279],
  shmget: [29, 194],
  msgget: [68, 186],
  semget: [64, 190],
  vmsplice: [278, 75],
  mmap: [9, 222],
  setsockopt: [54, 208],
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  open: [2, null],
  creat: [85, null],
  openat: [257, 56],
  openat2: [437, 437],
  mknod: [133, null],
  mknodat: [259, 33],
} as const satisfies Readonly<Record<string, readonly [number | null, number | null]>>;

export type SystemCall = keyof typeof systemCalls;

export function numberOf(call: SystemCall, architecture: Architecture): number | null {
  return systemCalls[call][architecture === 'x64' ? 0 : 1];
}
