// Real processes in real bubblewrap sandboxes. Each attempt that must fail has a control that succeeds.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import { defaultSandboxLimits, type ProcessExit, type SandboxCommand } from '../../../src/sandbox/sandbox.js';
import { workingLevel } from '../../support/control-group.js';

const sandbox = bubblewrap();
const base: Omit<SandboxCommand, 'argv'> = {
  directory: '/tmp',
  environment: { PATH: '/usr/bin:/bin', HOME: '/tmp' },
  mounts: [],
  hidden: [],
  limits: defaultSandboxLimits,
  limitAddressSpace: false,
  egress: null,
};
let folder: string;

beforeAll(async () => {
  expect(await sandbox.probe()).toMatchObject({ level: workingLevel });
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-bubblewrap-'));
  chmodSync(folder, 0o755);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('ordinary programs work in the sandbox', () => {
  const python = (code: string) => ['/usr/bin/python3', '-c', code];
  const programs: readonly (readonly [string, readonly string[], string])[] = [
    [
      'python: threads, processes, sockets, sqlite, names',
      python(
        `import threading, subprocess, socket, sqlite3, pwd, os, tempfile, multiprocessing
t = threading.Thread(target=lambda: None); t.start(); t.join()
a, b = socket.socketpair(); a.send(b"x"); b.recv(1)
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); socket.create_connection(s.getsockname())
sqlite3.connect(os.path.join(tempfile.mkdtemp(), "x")).execute("create table t (a)")
assert multiprocessing.Pool(2).map(abs, [-1, 2]) == [1, 2]
print(subprocess.check_output(["id", "-un"]).decode().strip(), pwd.getpwuid(os.getuid()).pw_dir)`,
      ),
      'sandbox /tmp',
    ],
    [
      'node: workers, children, files, network interfaces',
      [
        '/usr/bin/node',
        '-e',
        `const { Worker } = require('worker_threads');
require('os').networkInterfaces();
require('fs').writeFileSync('/tmp/x', 'x', { mode: 0o600 });
new Worker('require("worker_threads").parentPort.postMessage("worker")', { eval: true }).on('message', (it) =>
  require('child_process').exec('echo child', (error, out) => console.log(it, out.trim())));`,
      ],
      'worker child',
    ],
    [
      'git and sh',
      [
        '/bin/sh',
        '-c',
        'git init -q r && cd r && git config user.email a@b && git config user.name a && echo x > f && git add f && git commit -qm m && git log --format=%s | tr m M',
      ],
      'M',
    ],
    [
      'curl',
      ['/bin/sh', '-c', 'curl -sS http://127.0.0.1:9/ 2>&1; echo $?'],
      "Couldn't connect to server\n7",
    ],
    [
      'tar and chmod',
      ['/bin/sh', '-c', 'mkdir d && echo x > d/x && chmod 755 d/x && tar cf - d | tar tf - | wc -l'],
      '2',
    ],
  ];
  test.each(programs)('%s', async (_, argv, expected) => {
    const done = await run({ argv });
    expect(done.text.trim()).toContain(expected);
    expect(done.exit).toEqual({ code: 0, signal: null });
  });

  test('a process gets only the three standard streams', async () => {
    // The descriptor of the listing itself is closed before its link is read.
    const code = `import os
for it in os.listdir("/proc/self/fd"):
    try: print(os.readlink("/proc/self/fd/" + it))
    except OSError: pass`;
    const { text } = await run({ argv: ['/usr/bin/python3', '-c', code] });
    const [stdin, stdout, stderr, ...others] = text.trim().split('\n');
    for (const it of [stdin, stdout, stderr]) expect(it).toMatch(/^socket:/);
    expect(others.filter((it) => it !== '/dev/null')).toEqual([]);
  });
});

describe('the seccomp filter blocks system calls', () => {
  const attempt = `import ctypes, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(n, *a):
    ctypes.set_errno(0); r = libc.syscall(n, *a); return ctypes.get_errno()
`;
  // System call numbers of x64; the unit tests of the filter cover other processors.
  const x64: readonly (readonly [string, string, string])[] = [
    ['keyctl', 'print(call(250, 0, -3, 0))', '1'],
    ['set-user-id files', 'open("/tmp/s","w"); print(call(90, b"/tmp/s", 0o4755))', '1'],
    ['userfaultfd', 'print(call(323, 1))', '1'],
    ['io_uring', 'print(call(425, 1, 0))', '38'],
    ['a new namespace by clone3', 'print(call(435, 0, 0))', '38'],
    ['personality', 'print(call(135, 0x0400000))', '1'],
  ];
  test.runIf(process.arch === 'x64').each(x64)('%s', async (_, code, errno) => {
    const argv = ['/usr/bin/python3', '-c', attempt + code];
    expect((await run({ argv })).text.trim()).toBe(errno);
    const bare = await bareOutput(argv);
    expect(bare.trim(), 'control').not.toBe(errno);
  });
});

describe('hidden paths', () => {
  let root: string;
  const secretIn = (...path: string[]) => {
    const file = join(root, ...path);
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o777 });
    writeFileSync(file, 'REACHED\n', { mode: 0o644 });
  };
  beforeAll(() => {
    root = join(folder, 'work');
    mkdirSync(root);
    secretIn('.ssh', 'key');
    secretIn('.config', 'cloud', 'key');
    secretIn('plain', 'file.txt');
    secretIn('.env');
    secretIn('elsewhere', 'key');
    symlinkSync('elsewhere', join(root, '.aws'));
    symlinkSync('.ssh', join(root, 'innocent'));
    secretIn('locked', 'deep', 'key');
    chmodSync(join(root, 'locked'), 0o700);
    for (const it of ['.', '.config', '.config/cloud', 'plain']) chmodSync(join(root, it), 0o777);
    if (process.getuid?.() === 0) for (const it of ['.', '.config']) chownSync(join(root, it), 65533, 65533);
  });
  const readHidden = (script: string, writable: boolean) =>
    run({
      argv: ['/bin/sh', '-c', `cd ${root}; ${script}`],
      mounts: [{ source: root, target: root, writable }],
      hidden: ['.ssh', '.config/cloud', '.env', '.aws', 'locked/deep', 'absent'].map((it) => join(root, it)),
    });

  test.each([false, true])('cannot be read (writable: %s)', async (writable) => {
    const { text } = await readHidden(
      'cat plain/file.txt; ls -A .ssh .config/cloud .aws/ locked; cat .env',
      writable,
    );
    expect(text.match(/REACHED/g)).toHaveLength(1);
    expect(text).not.toContain('key');
    const whole = await readHidden('grep -rs REACHED . | sort', writable);
    expect(whole.text.trim()).toBe('./plain/file.txt:REACHED');
  });

  test('control: they can be read if they are not hidden', async () => {
    const { text } = await run({
      argv: ['/bin/sh', '-c', `cd ${root}; cat .ssh/key .env .aws/key .config/cloud/key`],
      mounts: [{ source: root, target: root, writable: false }],
    });
    expect(text.match(/REACHED/g)).toHaveLength(4);
  });

  test('cannot be read through links', async () => {
    const { text } = await readHidden(
      'ln -s .ssh again; cat innocent/key elsewhere/key again/key .aws/key',
      true,
    );
    expect(text).not.toContain('REACHED');
    expect(existsSync(join(root, 'again'))).toBe(true);
  });

  test('cannot be moved, changed or revealed, and neither can their parent folders', async () => {
    const tries = [
      'mv .config moved',
      'mv .config/cloud moved',
      'rm -rf .ssh',
      'rmdir .ssh',
      'umount .ssh',
      'chmod 777 .ssh',
      'touch .ssh/new',
      'echo x > .env',
      'mount --bind / .ssh',
    ];
    for (const it of tries) {
      const { text } = await readHidden(
        `${it} 2>&1 && echo WORKED; cat moved/cloud/key moved/key .ssh/key`,
        true,
      );
      expect(text, it).not.toMatch(/WORKED|REACHED/);
    }
    expect(readFileSync(join(root, '.ssh', 'key'), 'utf8')).toBe('REACHED\n');
    expect(readFileSync(join(root, '.config', 'cloud', 'key'), 'utf8')).toBe('REACHED\n');
    // Control: the same folder can be moved if it is not hidden.
    const { text } = await run({
      argv: ['/bin/sh', '-c', `cd ${root}; mv .config free && cat free/cloud/key`],
      mounts: [{ source: root, target: root, writable: true }],
    });
    expect(text).toContain('REACHED');
    renameSync(join(root, 'free'), join(root, '.config'));
  });

  test('stay hidden in a second mount, through a link, and as the mount itself', async () => {
    const deep = join(root, '.ssh');
    const { text } = await run({
      argv: ['/bin/sh', '-c', `cat ${deep}/key /second/.ssh/key /app/key; ls -A ${deep}`],
      mounts: [
        { source: root, target: root, writable: false },
        { source: root, target: '/second', writable: false },
        { source: deep, target: '/app', writable: false },
      ],
      hidden: [deep],
    });
    expect(text).not.toContain('REACHED');
    // Mounted through a link.
    symlinkSync(deep, join(folder, 'project'));
    const linked = await run({
      argv: ['/bin/sh', '-c', `cat ${folder}/project/key`],
      mounts: [{ source: join(folder, 'project'), target: join(folder, 'project'), writable: false }],
      hidden: [deep],
    });
    expect(linked.text).not.toContain('REACHED');
    const below = await run({
      argv: ['/bin/sh', '-c', `cat ${deep}/key`],
      mounts: [{ source: deep, target: deep, writable: false }],
      hidden: [root],
    });
    expect(below.text).not.toContain('REACHED');
  });
});

describe('mounts', () => {
  test.each([
    '/',
    '/proc',
    '/proc/1',
    '/dev/shm',
    '/sys',
    '/etc',
    '/tmp',
    '/usr/',
    '/run/toolwharf/x',
    'app',
    '/a/..',
  ])('a mount at %s is rejected, because the sandbox uses this path', (target) => {
    const mounts = [{ source: folder, target, writable: false }];
    expect(() => sandbox.spawn({ ...base, argv: ['/bin/true'], mounts })).toThrow(
      /the sandbox uses this path itself/,
    );
  });
});

describe('egress', () => {
  test('only the socket of the proxy is visible, and no other file of its folder', async () => {
    const socket = join(folder, 'egress.sock');
    const server = createServer((it) => {
      it.resume().on('error', () => {});
      it.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nANSWER');
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    chmodSync(socket, 0o666);
    const argv = ['/bin/sh', '-c', 'ls -A /run/toolwharf; curl -sS http://name.example/'];
    expect((await run({ argv, egress: socket })).text).toBe('egress.sock\nnode-proxy.cjs\npython\nANSWER');
    // Existing NODE_OPTIONS are kept, in addition to the proxy setup.
    const environment = { PATH: '/usr/bin:/bin', NODE_OPTIONS: '--stack-trace-limit=7' };
    const code =
      'fetch("http://name.example/").then((it) => it.text()).then((it) => console.log(it, Error.stackTraceLimit))';
    const node = await run({ argv: ['/usr/bin/node', '-e', code], environment, egress: socket });
    expect(node.text).toBe('ANSWER 7\n');
    // Control: without the socket, there is no network.
    const { text } = await run({ argv });
    expect(text).not.toContain('ANSWER');
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('limits on the whole sandbox', () => {
  test('the memory of all processes together is limited', async () => {
    const limits = { ...defaultSandboxLimits, memoryBytes: 200 * 1024 * 1024 };
    const code = `import os, time
for n in range(8):
    if os.fork() == 0:
        kept = bytearray(os.urandom(1024)) * (60 * 1024)
        time.sleep(20)
time.sleep(20)`;
    const started = performance.now();
    const { exit } = await run({ argv: ['/usr/bin/python3', '-c', code], limits });
    expect(exit.exceeded).toBe('memory');
    expect(performance.now() - started).toBeLessThan(10_000);
    // Control: shared memory after a fork counts once, so this stays below the limit.
    const shared = `import os, time
kept = bytearray(60 * 1024 * 1024)
for n in range(8):
    if os.fork() == 0: time.sleep(1); os._exit(0)
time.sleep(1)`;
    expect((await run({ argv: ['/usr/bin/python3', '-c', shared], limits })).exit).toEqual({
      code: 0,
      signal: null,
    });
  });

  test.each(['/tmp', '/dev/shm'])('the number of files in %s is limited', async (place) => {
    const code = (count: number) => `import os, time
for n in range(${count}): os.close(os.open("${place}/" + str(n), os.O_CREAT))
time.sleep(0.4)`;
    const many = await run({ argv: ['/usr/bin/python3', '-c', code(400_000)] });
    expect(many.exit.exceeded).toBe('files');
    const some = await run({ argv: ['/usr/bin/python3', '-c', code(2_000)] });
    expect(some.exit).toEqual({ code: 0, signal: null });
  });

  test('the kernel kills a sandboxed process first if the machine runs out of memory', async () => {
    const code = 'import time; time.sleep(0.5); print(open("/proc/self/oom_score_adj").read())';
    const argv = ['/usr/bin/python3', '-c', code];
    expect((await run({ argv })).text.trim()).toBe('1000');
    expect((await bareOutput(argv)).trim(), 'control').not.toBe('1000');
  });

  test('the address space is limited only on request', async () => {
    const argv = [
      '/usr/bin/python3',
      '-c',
      'import mmap; mmap.mmap(-1, 4 << 30, mmap.MAP_PRIVATE); print("MAPPED")',
    ];
    expect((await run({ argv, limitAddressSpace: true })).text).not.toContain('MAPPED');
    expect((await run({ argv, limitAddressSpace: false })).text).toContain('MAPPED');
  });
});

describe('a bubblewrap version without --disable-userns', () => {
  test('leaves it to the filter to deny user namespaces', async () => {
    const old = join(folder, 'old-bwrap');
    writeFileSync(
      old,
      `#!/usr/bin/python3 -I
import os, sys
given = b""
while chunk := os.read(3, 65536): given += chunk
if b"--disable-userns" in given.split(b"\\0"):
    sys.stderr.write("bwrap: Unknown option --disable-userns\\n"); sys.exit(1)
r, w = os.pipe()
os.write(w, given); os.close(w); os.dup2(r, 3)
os.execv("/usr/bin/bwrap", ["bwrap"] + sys.argv[1:])
`,
      { mode: 0o755 },
    );
    const weaker = bubblewrap({ program: old });
    expect(await weaker.probe()).toMatchObject({ level: workingLevel });
    const { text } = await run({ argv: ['/bin/sh', '-c', 'unshare -U true 2>&1'] }, weaker);
    expect(text).toContain('Operation not permitted');
  });
});

test('a missing bubblewrap makes the sandbox unavailable', async () => {
  const none = bubblewrap({ program: join(folder, 'absent') });
  expect(await none.probe()).toMatchObject({ level: 'unavailable' });
});

async function run(
  part: Partial<SandboxCommand> & Pick<SandboxCommand, 'argv'>,
  where = sandbox,
): Promise<{ readonly text: string; readonly exit: ProcessExit }> {
  const child = where.spawn({ ...base, ...part });
  child.stdin.end();
  let text = '';
  const add = (chunk: unknown) => {
    text += chunk;
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const exit = await child.exited;
  return { text, exit };
}

function bareOutput(argv: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(argv[0] as string, argv.slice(1), {
      ...(process.getuid?.() === 0 ? { uid: 65533, gid: 65533 } : {}),
      cwd: '/',
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}
