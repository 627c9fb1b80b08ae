// Attempts to leave the sandbox. Each is a Python script that prints REACHED if it succeeds. It must succeed
// without the sandbox, as an unprivileged user (the control), and fail in the sandbox.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../scripts/bundle.mjs';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import { defaultSandboxLimits } from '../../../src/sandbox/sandbox.js';
import { workingLevel } from '../../support/control-group.js';
import { until } from '../../support/toolwharf.js';

const sandbox = bubblewrap();
const isRoot = process.getuid?.() === 0;
let folder: string;
let server: Server;
let port: number;

beforeAll(async () => {
  // A missing sandbox makes the tests fail; they are not skipped.
  expect(await sandbox.probe()).toMatchObject({ level: workingLevel });
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-attack-'));
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, 'secret.txt'), 'REACHED\n', { mode: 0o644 });
  server = createServer((socket) => socket.end('REACHED\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

interface Attack {
  readonly name: string;
  readonly code: () => string;
  /** Environment of the control only: the host has it, the sandbox must not. */
  readonly environment?: Record<string, string>;
}

const attacks: readonly Attack[] = [
  {
    name: 'read a file that every user of the machine may read',
    code: () => `print(open(${JSON.stringify(join(folder, 'secret.txt'))}).read())`,
  },
  {
    name: 'reach this file with .. from a mounted folder',
    code: () => `print(open("/tmp/../${join(folder, 'secret.txt').slice(1)}").read())`,
  },
  {
    name: 'read the list of users',
    code: () => 'print("REACHED" if "root:" in open("/etc/passwd").read() else "")',
  },
  {
    name: 'talk to a server on loopback',
    code: () => `import socket\nprint(socket.create_connection(("127.0.0.1", ${port}), 2).recv(99).decode())`,
  },
  {
    name: 'see a network device besides loopback',
    code: () => 'print("REACHED" if len(open("/proc/net/dev").readlines()) > 3 else "")',
  },
  {
    name: 'read the environment of the host',
    code: () => 'import os\nprint(os.environ["TOOLWHARF_PLANTED"])',
    environment: { TOOLWHARF_PLANTED: 'REACHED' },
  },
  {
    name: 'see the processes of the machine',
    code: () =>
      'import os\nprint("REACHED" if len([p for p in os.listdir("/proc") if p.isdigit()]) > 8 else "")',
  },
  {
    name: 'write to a folder of the host',
    code: () => `open(${JSON.stringify(join(folder, 'written'))}, "w").write("x")\nprint("REACHED")`,
  },
  {
    name: 'signal a process outside',
    code: () =>
      `import os\nos.kill(${process.pid}, 0) if os.getuid() == 0 else os.stat("/proc/${process.pid}")\nprint("REACHED")`,
  },
  {
    name: 'create a user namespace',
    code: () => 'import ctypes\nprint("REACHED" if ctypes.CDLL(None).unshare(0x10000000) == 0 else "")',
  },
  {
    name: 'start more processes than its limit',
    code: () =>
      'import os, sys, time\nfor n in range(200):\n    if os.fork() == 0:\n        time.sleep(2)\n        os._exit(0)\nprint("REACHED")',
  },
  {
    name: 'fill the disk',
    // Inside, only the private /tmp can be written.
    code: () =>
      `import os\nfolder = ${JSON.stringify(folder)}\nf = open(os.path.join(folder if os.path.isdir(folder) else "/tmp", "fill"), "wb")\ntry:\n    [f.write(b"x" * 2**20) for n in range(80)]\n    f.flush()\n    print("REACHED")\nfinally:\n    os.unlink(f.name)`,
  },
];

describe('a sandboxed script cannot do what an unconfined script can', () => {
  for (const attack of attacks) {
    test(`it cannot ${attack.name}`, async () => {
      expect(await unconfined(attack.code(), attack.environment), 'control').toContain('REACHED');
      expect(await confined(attack.code())).not.toContain('REACHED');
    });
  }
});

describe('descriptors', () => {
  test('a descriptor that the host inherited does not reach the tool', async () => {
    const code = 'import os\nprint(os.read(9, 99).decode())';
    const script = `
      import { bubblewrap } from ${JSON.stringify(join(import.meta.dirname, '../../../src/sandbox/bubblewrap/bubblewrap.ts'))};
      const child = bubblewrap().spawn(JSON.parse(process.argv[2]));
      child.stdin.end(); child.stdout.pipe(process.stdout); child.stderr.pipe(process.stdout);`;
    const built = join(folder, 'spawn.mjs');
    await bundleModule(script, folder, built);
    const planted = openSync(join(folder, 'secret.txt'), 'r');
    const stdio: (number | 'pipe' | 'ignore')[] = [
      'ignore',
      'pipe',
      'pipe',
      'ignore',
      'ignore',
      'ignore',
      'ignore',
      'ignore',
      'ignore',
      planted,
    ];
    const command = {
      argv: ['/usr/bin/python3', '-c', code],
      directory: '/tmp',
      environment: {},
      mounts: [],
      hidden: [],
      limits: defaultSandboxLimits,
      limitAddressSpace: true,
      egress: null,
    };
    // Control: the same descriptor reaches a child without the sandbox.
    expect(
      await output(spawn('/usr/bin/python3', ['-c', code], { ...unprivileged(), stdio, env: {} })),
    ).toContain('REACHED');
    closeSync(planted);
    const again = openSync(join(folder, 'secret.txt'), 'r');
    const host = spawn(process.execPath, [built, JSON.stringify(command)], {
      stdio: [...stdio.slice(0, 9), again],
    });
    expect(await output(host)).not.toContain('REACHED');
    closeSync(again);
  });
});

describe('identity', () => {
  test('no sandboxed process is root, inside or outside', async () => {
    const [user, effective, ...groups] = (
      await confined('import os\nprint(os.getuid(), os.geteuid(), *os.getgroups())')
    )
      .trim()
      .split(' ');
    expect([user, effective]).toEqual(['65534', '65534']);
    // The kernel lets only root drop groups. Those of an ordinary user have no number of their own inside.
    expect(isRoot ? groups : groups.filter((it) => it !== '65534')).toEqual([]);
    const marker = 'toolwharf-identity-test';
    const child = sandbox.spawn({
      argv: ['/usr/bin/python3', '-c', 'input()', marker],
      directory: '/tmp',
      environment: {},
      mounts: [],
      hidden: [],
      limits: defaultSandboxLimits,
      limitAddressSpace: true,
      egress: null,
    });
    await until(() => processesWith(marker).length > 0);
    expect(sandbox.user.uid).not.toBe(0);
    for (const pid of processesWith(marker)) {
      const { uid } = sandbox.user;
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(
        new RegExp(`Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}\\n`),
      );
    }
    child.kill();
    await child.exited;
    await until(() => processesWith(marker).length === 0);
  });

  test('a sandboxed process has no capability and cannot gain one', async () => {
    const status = await confined('print(open("/proc/self/status").read())');
    expect(status).toMatch(/CapEff:\s0+\n/);
    expect(status).toMatch(/CapBnd:\s0+\n/);
    expect(status).toMatch(/NoNewPrivs:\s1\n/);
  });

  test('the command line in the sandbox does not show paths of this machine', async () => {
    const shown = await confined('print(open("/proc/1/cmdline").read())');
    expect(shown).not.toContain('--ro-bind');
  });
});

function processesWith(marker: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker);
    } catch {
      return false;
    }
  });
}

function unprivileged(): { uid?: number; gid?: number } {
  return isRoot ? { uid: 65532, gid: 65532 } : {};
}

function unconfined(code: string, environment: Record<string, string> = {}): Promise<string> {
  return output(
    spawn('/usr/bin/python3', ['-c', code], {
      ...unprivileged(),
      cwd: '/',
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

async function confined(code: string): Promise<string> {
  const child = sandbox.spawn({
    argv: ['/usr/bin/python3', '-c', code],
    directory: '/tmp',
    environment: { PATH: '/usr/bin:/bin' },
    mounts: [],
    hidden: [],
    limits: defaultSandboxLimits,
    limitAddressSpace: true,
    egress: null,
  });
  child.stdin.end();
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  await child.exited;
  return text;
}

function output(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      text += chunk;
    });
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}
