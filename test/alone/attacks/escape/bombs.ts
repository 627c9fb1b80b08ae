// Attempts to use more than the limits allow. The control is a sandbox with a much higher limit.
import { type Attempt, quoted, without } from './attempt.js';

const hundred = 100;

const forks: readonly Attempt[] = [
  {
    name: 'start processes without end',
    language: 'python',
    code: () =>
      `import os, time\nfor _ in range(${hundred}):\n    if os.fork() == 0:\n        time.sleep(2)\n        os._exit(0)\nprint("REACHED")`,
    control: without('process limit'),
  },
  {
    name: 'start processes without end',
    language: 'node',
    code: () => `const { spawn } = require("child_process");
let started = 0;
for (let n = 0; n < ${hundred}; n++) if (spawn("sleep", ["1"], { stdio: "ignore" }).on("error", () => {}).pid !== undefined) started++;
if (started === ${hundred}) console.log("REACHED");`,
    control: without('process limit'),
  },
  {
    name: 'start processes without end',
    language: 'shell',
    // Not in bash, because it waits and retries.
    code: () =>
      `exec sh -c 'n=0; while [ $n -lt ${hundred} ]; do sleep 1 & n=$((n + 1)); done; echo REACHED'`,
    control: without('process limit'),
  },
  {
    name: 'start threads without end',
    language: 'python',
    code: () =>
      `import threading, time\nfor _ in range(${hundred}):\n    threading.Thread(target=time.sleep, args=(0.5,)).start()\nprint("REACHED")`,
    control: without('process limit'),
    // A hundred stacks need more than the limited address space.
    limitAddressSpace: false,
  },
];

const megabyte = 1024 * 1024;
const little = { memoryBytes: 128 * megabyte };

const memory: readonly Attempt[] = [
  {
    name: 'take all memory',
    language: 'python',
    code: () => 'import time\nheld = bytearray(b"x") * (400 << 20)\ntime.sleep(1.5)\nprint("REACHED")',
    control: without('memory limit'),
    limits: little,
  },
  {
    name: 'take all memory',
    language: 'node',
    code: () =>
      'const held = Buffer.alloc(400 << 20, 1);\nsetTimeout(() => console.log("REACHED", held.length), 1500);',
    control: without('memory limit'),
    limits: little,
  },
  {
    name: 'take all memory with many small processes',
    language: 'python',
    code: () => `import os, time
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(b"x") * (60 << 20)
        time.sleep(1.5)
        os._exit(0)
time.sleep(1.5)
print("REACHED")`,
    control: without('memory limit'),
    limits: little,
  },
  {
    name: 'take all memory with many small processes',
    language: 'shell',
    code: () =>
      'for n in 1 2 3 4 5 6; do ( held=$(head -c 40000000 /dev/zero | tr "\\0" x); sleep 1.5 ) & done; wait; echo REACHED',
    control: without('memory limit'),
    limits: little,
  },
];

const disk: readonly Attempt[] = [
  {
    name: 'fill the disk with one file',
    language: 'python',
    code: () =>
      'with open("/tmp/fill", "wb") as file:\n    for _ in range(80):\n        file.write(b"x" * (1 << 20))\nprint("REACHED")',
    control: without('disk limit'),
  },
  {
    name: 'fill the disk with several files',
    language: 'shell',
    code: () =>
      'for n in 1 2 3 4 5 6 7 8; do head -c 10000000 /dev/zero > /tmp/fill-$n || exit; done; echo REACHED',
    control: without('disk limit'),
  },
  {
    name: 'fill the disk with several files',
    language: 'node',
    code: () =>
      'for (let n = 0; n < 8; n++) require("fs").writeFileSync(`/tmp/fill-${n}`, Buffer.alloc(10e6));\nconsole.log("REACHED")',
    control: without('disk limit'),
  },
  {
    name: 'fill the disk with empty files',
    language: 'python',
    code: ({ open }) => `import os, shutil, tempfile, time
folder = tempfile.mkdtemp(dir=${quoted(open)} if os.path.isdir(${quoted(open)}) else "/tmp")
try:
    for n in range(60000):
        os.close(os.open(f"{folder}/{n}", os.O_CREAT | os.O_WRONLY))
    time.sleep(1)
    print("REACHED")
finally:
    shutil.rmtree(folder)`,
  },
];

const rest: readonly Attempt[] = [
  {
    name: 'compute without end',
    language: 'python',
    code: () => 'import time\nwhile time.process_time() < 2.2:\n    pass\nprint("REACHED")',
    control: without('CPU time limit'),
    limits: { cpuSeconds: 1 },
  },
  {
    name: 'open files without end',
    language: 'node',
    code: () =>
      'const fs = require("fs");\nfor (let n = 0; n < 300; n++) fs.openSync("/dev/null");\nconsole.log("REACHED")',
    control: without('open file limit'),
  },
];

export const bombAttempts: readonly Attempt[] = [...forks, ...memory, ...disk, ...rest];
