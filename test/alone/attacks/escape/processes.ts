// Attempts on other processes of the machine and on their shared resources.
import { type Attempt, quoted, without } from './attempt.js';
import { systemCall } from './kernel.js';

const everyProcess = (body: string) => `
import os
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        ${body}
    except OSError:
        pass
`;

const everyProcessNode = (body: string) => `
const fs = require("fs");
for (const pid of fs.readdirSync("/proc").filter((it) => /^\\d+$/.test(it))) {
  try { ${body} } catch {}
}
`;

const lookupAttempts: readonly Attempt[] = [
  {
    name: 'reach files through the root of another process',
    language: 'python',
    code: ({ secret }) => everyProcess(`print(open(f"/proc/{pid}/root${secret}").read())`),
  },
  {
    name: 'reach files through the root of another process',
    language: 'shell',
    code: ({ secret }) =>
      `for it in /proc/[0-9]*; do cat "$it/root"${quoted(secret)} 2>/dev/null; done; true`,
  },
  {
    name: 'reach files through the working directory of another process',
    language: 'node',
    code: () => everyProcessNode('console.log(fs.readFileSync(`/proc/${pid}/cwd/note.txt`, "utf8"))'),
  },
  {
    name: 'reach a deleted file that another process has open',
    language: 'python',
    code: () =>
      everyProcess(
        'print("\\n".join(open(f"/proc/{pid}/fd/{it}").read() for it in os.listdir(f"/proc/{pid}/fd") if "victim/deleted" in os.readlink(f"/proc/{pid}/fd/{it}")))',
      ),
  },
  {
    name: 'read the environment of another process',
    language: 'python',
    code: () =>
      everyProcess('if b"TOOLWHARF_VICTIM=" in open(f"/proc/{pid}/environ", "rb").read(): print("REACHED")'),
  },
  {
    name: 'read the environment of another process',
    language: 'node',
    code: () =>
      everyProcessNode(
        'if (fs.readFileSync(`/proc/${pid}/environ`, "utf8").includes("TOOLWHARF_VICTIM=")) console.log("REACHED")',
      ),
  },
  {
    name: 'read the environment of another process',
    language: 'shell',
    code: () =>
      'for it in /proc/[0-9]*; do tr "\\0" "\\n" < $it/environ 2>/dev/null | grep -q ^TOOLWHARF_VICTIM= && echo REACHED; done; true',
  },
  {
    name: 'read the arguments of another process',
    language: 'shell',
    // Split in two, so that the script does not find its own arguments.
    code: () => 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep "^argument"-REACHE[D]; true',
  },
  {
    name: 'see processes outside the sandbox',
    language: 'node',
    code: ({ victim }) =>
      `if (require("fs").existsSync("/proc/${victim.pid}/status")) console.log("REACHED")`,
  },
  ...(['python', 'node', 'shell'] as const).map(
    (language): Attempt => ({
      name: 'signal a process outside',
      language,
      code: ({ victim }) =>
        ({
          python: `import os\nos.kill(${victim.pid}, 0)\nprint("REACHED")`,
          node: `process.kill(${victim.pid}, 0);\nconsole.log("REACHED")`,
          shell: `kill -0 ${victim.pid} && echo REACHED`,
        })[language],
    }),
  ),
];

const prelude = 'import ctypes, os, struct\nlibc = ctypes.CDLL(None, use_errno=True)\n';

const memoryAttempts: readonly Attempt[] = [
  {
    name: 'read the memory of another process (process_vm_readv)',
    language: 'python',
    code: ({ victim }) => `${prelude}
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
into = ctypes.create_string_buffer(8)
mine, theirs = Part(ctypes.addressof(into), 7), Part(${victim.address}, 7)
libc.process_vm_readv(${victim.pid}, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
print(into.value.decode())`,
  },
  {
    name: 'read the memory of another process (/proc/PID/mem)',
    language: 'python',
    code: ({ victim }) =>
      `file = open("/proc/${victim.pid}/mem", "rb", 0)\nfile.seek(${victim.address})\nprint(file.read(7).decode())`,
  },
  {
    name: 'trace another process',
    language: 'python',
    // PTRACE_SEIZE does not stop the process; it is released when the tracer exits.
    code: ({ victim }) =>
      `${prelude}print("REACHED" if libc.ptrace(0x4206, ${victim.pid}, None, None) == 0 else "")`,
  },
  {
    name: 'trace its own child process',
    language: 'python',
    code: () => `${prelude}
child = os.fork()
if child == 0:
    import time
    time.sleep(5)
    os._exit(0)
print("REACHED" if libc.ptrace(0x4206, child, None, None) == 0 else "")
os.kill(child, 9)`,
    control: without('system call filter'),
  },
  {
    name: 'take a descriptor of another process (pidfd_getfd)',
    language: 'python',
    code: ({ victim }) => `${prelude}
one = libc.syscall(434, ${victim.pid}, 0)
print("REACHED" if libc.syscall(${systemCall('pidfd_getfd')}, one, 1, 0) >= 0 else "")`,
  },
  {
    name: 'read System V shared memory',
    language: 'python',
    code: ({ victim }) => `${prelude}
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
at = libc.shmat(libc.shmget(${victim.sharedMemory}, 0, 0), None, 0o10000)
print(ctypes.string_at(at, 7).decode() if at not in (None, 2**64 - 1) else "")`,
  },
  {
    name: 'find a System V message queue',
    language: 'python',
    code: ({ victim }) => `${prelude}print("REACHED" if libc.msgget(${victim.queue}, 0) >= 0 else "")`,
  },
  {
    name: 'find a System V semaphore',
    language: 'shell',
    code: ({ victim }) =>
      `[ "$(ipcs -s | grep -c ${quoted(hexKey(victim.semaphore))})" = 1 ] && echo REACHED`,
  },
  {
    name: 'read POSIX shared memory',
    language: 'shell',
    code: ({ victim }) => `cat ${quoted(victim.posixMemory)}`,
  },
  {
    name: 'read POSIX shared memory',
    language: 'node',
    code: ({ victim }) => `console.log(require("fs").readFileSync(${quoted(victim.posixMemory)}, "utf8"))`,
  },
];

function hexKey(number: number): string {
  return `0x${number.toString(16)}`;
}

const planted = { TOOLWHARF_PLANTED: 'REACHED' };

const environmentAttempts: readonly Attempt[] = [
  {
    name: "find the host's environment",
    language: 'python',
    code: () => 'import os\nprint(os.environ["TOOLWHARF_PLANTED"])',
    environment: planted,
  },
  {
    name: "find the host's environment",
    language: 'node',
    code: () => 'console.log(process.env.TOOLWHARF_PLANTED)',
    environment: planted,
  },
  {
    name: "find the host's environment",
    language: 'shell',
    code: () => 'cat /proc/self/environ /proc/$PPID/environ | tr "\\0" "\\n" | grep ^TOOLWHARF_PLANTED',
    environment: planted,
  },
];

export const processAttempts: readonly Attempt[] = [
  ...lookupAttempts,
  ...memoryAttempts,
  ...environmentAttempts,
];
