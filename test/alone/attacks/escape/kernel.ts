// Privileges and kernel features that no tool needs.
import { join } from 'node:path';
import { hasFilter } from '../../../../src/sandbox/bubblewrap/seccomp.js';
import { numberOf, type SystemCall } from '../../../../src/sandbox/bubblewrap/system-calls.js';
import { type Attempt, noControl, quoted, without } from './attempt.js';

/** Number of a system call on this machine. */
export function systemCall(name: SystemCall): number {
  const number = hasFilter(process.arch) ? numberOf(name, process.arch) : null;
  if (number === null) throw new Error(`no number of ${name} for ${process.arch}`);
  return number;
}

const prelude = 'import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n';

/** Python that becomes root in new namespaces, as ordinary users can; continues if that is denied. */
export const ownNamespaces = (flags: string): string => `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
user, group = os.getuid(), os.getgid()
if libc.unshare(0x10000000 | ${flags}) == 0:
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        open(f"/proc/self/{name}", "w").write(text)
`;

const python = (name: string, code: string, more: Partial<Attempt> = {}): Attempt => ({
  name,
  language: 'python',
  code: () => prelude + code,
  ...more,
});
const worked = (call: string) => `print("REACHED" if ${call} == 0 else os.strerror(ctypes.get_errno()))`;
const opened = (call: string) => `print("REACHED" if ${call} >= 0 else os.strerror(ctypes.get_errno()))`;

const namespaces: readonly Attempt[] = [
  python('create a user namespace (unshare)', worked('libc.unshare(0x10000000)')),
  {
    name: 'create a user namespace (unshare)',
    language: 'shell',
    code: () => 'unshare -Ur true && echo REACHED',
  },
  {
    name: 'create a user namespace (unshare)',
    language: 'node',
    code: () =>
      'if (require("child_process").spawnSync("unshare", ["-Un", "true"]).status === 0) console.log("REACHED")',
  },
  python(
    'create a user namespace (clone)',
    `child = libc.syscall(${systemCall('clone')}, 0x10000000 | 17, 0, 0, 0, 0)
if child == 0:
    os._exit(0)
${opened('child')}`,
  ),
  python(
    'create a user namespace (clone3)',
    `import struct
words = ctypes.create_string_buffer(struct.pack("11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0))
child = libc.syscall(${systemCall('clone3')}, words, 88)
if child == 0:
    os._exit(0)
${opened('child')}`,
  ),
  python(
    'enter a namespace of another process (setns)',
    `ready, go = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    libc.unshare(0x10000000)
    os.write(ready[1], b"x")
    os.read(go[0], 1)
    os._exit(0)
os.read(ready[0], 1)
one = os.open(f"/proc/{child}/ns/user", os.O_RDONLY)
${worked('libc.setns(one, 0)')}
os.write(go[1], b"x")`,
  ),
  python(
    'mount a file system',
    `${ownNamespaces('0x20000')}${worked('libc.mount(b"x", b"/tmp", b"tmpfs", 0, None)')}`,
  ),
  {
    name: 'mount a file system',
    language: 'shell',
    code: () => 'mount -t tmpfs x /tmp || unshare -Urm mount -t tmpfs x /tmp && echo REACHED',
  },
  python(
    'mount a file system (fsopen)',
    `${ownNamespaces('0x20000')}${opened(`libc.syscall(${systemCall('fsopen')}, b"tmpfs", 0)`)}`,
  ),
  python(
    'copy a part of the mounts (open_tree)',
    `${ownNamespaces('0x20000')}${opened(`libc.syscall(${systemCall('open_tree')}, -100, b"/usr", 1)`)}`,
  ),
  python(
    'change how the root is mounted',
    `${ownNamespaces('0x20000')}${worked('libc.mount(None, b"/", None, 32 | 4096 | 1, None)')}`,
  ),
  python(
    'remove a mount',
    `${ownNamespaces('0x20000')}libc.mount(b"x", b"/tmp", b"tmpfs", 0, None)
${worked('libc.umount2(b"/tmp", 2)')}`,
  ),
  python('change the root directory (chroot)', `${ownNamespaces('0')}${worked('libc.chroot(b"/tmp")')}`),
  python('rename the machine', `${ownNamespaces('0x4000000')}${worked('libc.sethostname(b"mine", 4)')}`),
  python(
    'change a setting of the network',
    `${ownNamespaces('0x40000000')}open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w").write("1")\nprint("REACHED")`,
  ),
];

const filter = without('system call filter');

const parts: readonly Attempt[] = [
  python(
    'store a key in the kernel (add_key)',
    opened(`libc.syscall(${systemCall('add_key')}, b"user", b"toolwharf", b"x", 1, -2)`),
  ),
  python('read keyrings (keyctl)', opened(`libc.syscall(${systemCall('keyctl')}, 0, -2, 1)`)),
  python(
    'load a program into the kernel (bpf)',
    `words = (ctypes.c_uint32 * 32)(1, 4, 4, 1)\n${opened(`libc.syscall(${systemCall('bpf')}, 0, words, 128)`)}`,
    { control: filter, mayBeAbsent: 'this kernel lets only root load programs' },
  ),
  python(
    'bypass the filter with queued calls (io_uring)',
    `words = (ctypes.c_uint8 * 120)()\n${opened(`libc.syscall(${systemCall('io_uring_setup')}, 4, words)`)}`,
    { mayBeAbsent: 'io_uring is disabled on this machine' },
  ),
  python(
    'pause the kernel during a page fault (userfaultfd)',
    opened(`libc.syscall(${systemCall('userfaultfd')}, 1)`),
    {
      mayBeAbsent: 'this kernel has no userfaultfd for ordinary users',
    },
  ),
  python(
    'measure the processor (perf)',
    `words = (ctypes.c_uint64 * 16)(1 | 128 << 32, 1, 0, 0, 0, 1 | 32 | 64)
${opened(`libc.syscall(${systemCall('perf_event_open')}, words, 0, -1, -1, 0)`)}`,
    { mayBeAbsent: 'perf is disabled on this machine' },
  ),
  python('change the personality', opened(`libc.personality(0x0040000)`)),
  python(
    'get the handle of a file',
    `words = (ctypes.c_uint32 * 64)(128)
mount = ctypes.c_int()
${worked(`libc.name_to_handle_at(-100, b"/usr/bin/env", words, ctypes.byref(mount), 0)`)}`,
    { mayBeAbsent: 'the file system has no handles' },
  ),
  python('read the kernel log', opened(`libc.klogctl(10, None, 0)`), {
    mayBeAbsent: 'only root may read the kernel log here',
  }),
  {
    ...python(
      'use 32-bit system calls (int 0x80)',
      `import mmap
memory = mmap.mmap(-1, 4096, prot=7)
memory.write(bytes.fromhex("53b814000000cd805bc3"))
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
print("REACHED" if call() == os.getpid() else "")`,
    ),
    mayBeAbsent: 'this machine has no 32-bit system calls',
  },
  python(
    'type into a terminal (TIOCSTI)',
    `import fcntl, pty
main, side = pty.openpty()
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(side, 0x540E, 0)
    fcntl.ioctl(side, 0x5412, b"x")
    print("REACHED", flush=True)
    os._exit(0)
os.waitpid(child, 0)`,
    { mayBeAbsent: 'this kernel does not allow TIOCSTI' },
  ),
];

const chmod = (root: string) => join(root, 'file.txt');

const rights: readonly Attempt[] = [
  {
    name: 'leave a set-uid file behind',
    language: 'python',
    code: (_, root) => `import os\nos.chmod(${quoted(chmod(root))}, 0o4755)\nprint("REACHED")`,
    control: filter,
    workspace: { writable: true },
  },
  {
    name: 'leave a set-uid file behind',
    language: 'node',
    code: (_, root) => `require("fs").chmodSync(${quoted(chmod(root))}, 0o4755);\nconsole.log("REACHED")`,
    control: filter,
    workspace: { writable: true },
  },
  {
    name: 'leave a set-uid file behind',
    language: 'shell',
    code: (_, root) =>
      `chmod g+s,u+s ${quoted(chmod(root))} && [ -u ${quoted(chmod(root))} ] && echo REACHED`,
    control: filter,
    workspace: { writable: true },
  },
  {
    name: 'become another user through a set-uid program',
    language: 'shell',
    code: ({ special }) => `[ "$(${quoted(special?.setUser ?? '')} -u)" = 65531 ] && echo REACHED`,
    mounts: ({ special }) =>
      special === null ? [] : [{ source: special.setUser, target: special.setUser, writable: false }],
    mayBeAbsent: 'only root can create one',
  },
  {
    name: 'open a device node in a mounted folder',
    language: 'python',
    code: ({ special }) =>
      `print("REACHED" if open(${quoted(special?.device ?? '')}, "rb").read(1) == b"\\0" else "")`,
    mounts: ({ special }) =>
      special === null ? [] : [{ source: special.device, target: special.device, writable: false }],
    mayBeAbsent: 'only root can create one',
  },
  {
    name: 'open a device of the machine',
    language: 'shell',
    code: () =>
      'for it in /dev/* /dev/*/*; do case $it in */null|*/zero|*/full|*/random|*/urandom|*/tty|*/ptmx|*/std*|/dev/fd/*|/dev/pts/*|/dev/shm/*) continue;; esac; { [ -c "$it" ] || [ -b "$it" ]; } && [ -r "$it" ] && echo REACHED; done; true',
    mayBeAbsent: 'no device of this machine is readable for every user',
  },
  python('create a device', worked('libc.mknod(b"/tmp/toolwharf-device", 0o20666, 0x103)'), {
    control: noControl('only root may create devices'),
  }),
  {
    name: 'set the crash handler (core_pattern)',
    language: 'shell',
    code: () => ': >> /proc/sys/kernel/core_pattern && echo REACHED',
    control: noControl('only root may write it'),
  },
  {
    name: 'trigger a sysrq command',
    language: 'shell',
    code: () => ': >> /proc/sysrq-trigger && echo REACHED',
    control: noControl('only root may write it'),
  },
  python('become root', worked('libc.setuid(0)'), {
    control: noControl('only privileged processes may change their user'),
  }),
];

export const kernelAttempts: readonly Attempt[] = [...namespaces, ...parts, ...rights];
