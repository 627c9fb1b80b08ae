import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noSandbox } from '../../../src/sandbox/no-sandbox.js';
import { processTree } from '../../../src/sandbox/process/process-tree.js';
import { defaultSandboxLimits, type SandboxCommand } from '../../../src/sandbox/sandbox.js';
import { systemSandbox } from '../../../src/sandbox/system-sandbox.js';
import { until } from '../../support/toolwharf.js';

const sandbox = noSandbox();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-no-sandbox-'));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'seen.txt'), 'seen\n', { mode: 0o644 });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('without a sandbox', () => {
  test('the probe reports it', async () => {
    expect(sandbox.isolates).toBe(false);
    expect(await sandbox.probe()).toEqual({
      level: 'degraded',
      reasons: ['processes run without a sandbox'],
    });
  });

  test('paths are unchanged, the environment is only what was passed, and the process is not root', async () => {
    const mount = { source: folder, target: '/app', writable: false };
    expect(sandbox.inside(mount)).toBe(folder);
    const { text } = await run({
      argv: ['/bin/sh', '-c', 'cat seen.txt; id -u; env'],
      directory: folder,
      environment: { ONLY: 'this' },
      mounts: [mount],
    });
    const [seen, uid, ...environment] = text.trim().split('\n');
    expect(seen).toBe('seen');
    expect(Number(uid)).toBe(sandbox.user.uid);
    expect(Number(uid)).not.toBe(0);
    expect(environment.filter((it) => !/^(PWD|_)=/.test(it))).toEqual(['ONLY=this']);
  });

  test('limits are enforced', async () => {
    const limits = { ...defaultSandboxLimits, memoryBytes: 100 * 1024 * 1024, openFiles: 20 };
    const { text } = await run({ argv: ['/bin/sh', '-c', 'ulimit -n; ulimit -c'], limits });
    expect(text).toBe('20\n0\n');
    const hungry = 'import time; kept = bytearray(b"x") * (200 << 20); time.sleep(20)';
    const { exit } = await run({ argv: ['/usr/bin/python3', '-c', hungry], limits });
    expect(exit.exceeded).toBe('memory');
  });

  test('killing a process kills its descendants', async () => {
    const child = start({ argv: ['/bin/sh', '-c', 'sleep 300 & echo up; wait'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const all = processTree(child.pid);
    expect(all.length).toBeGreaterThan(1);
    child.kill();
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
    // All get the signal at once, but each ends in its own time.
    await until(() => all.every(hasEnded), 2000);
  });

  test('a missing program or folder is reported', async () => {
    const { exit, text } = await run({ argv: [join(folder, 'absent')] });
    expect(exit.code).not.toBe(0);
    expect(text).toContain('absent');
    await expect(run({ argv: ['/bin/true'], directory: join(folder, 'absent') })).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
  });
});

describe('the sandbox of the system', () => {
  test('is bubblewrap on Linux', () => {
    expect(systemSandbox({}, 'linux')).toMatchObject({ name: 'bubblewrap', isolates: true });
  });

  test.each(['darwin', 'win32', 'freebsd'] as const)(
    'does not exist on %s, and no process runs',
    async (platform) => {
      const none = systemSandbox({}, platform);
      expect(await none.probe()).toMatchObject({
        level: 'unavailable',
        reasons: [expect.stringContaining(platform)],
      });
      expect(() => none.spawn(commandOf({ argv: ['/bin/true'] }))).toThrow(/tools do not run without one/);
    },
  );
});

/** A zombie has ended: nobody has asked for its exit code yet. */
function hasEnded(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return true;
  }
}

function commandOf(part: Partial<SandboxCommand> & Pick<SandboxCommand, 'argv'>): SandboxCommand {
  return {
    directory: '/',
    environment: { PATH: '/usr/bin:/bin' },
    mounts: [],
    hidden: [],
    limits: defaultSandboxLimits,
    limitAddressSpace: false,
    egress: null,
    ...part,
  };
}

function start(part: Partial<SandboxCommand> & Pick<SandboxCommand, 'argv'>) {
  const child = sandbox.spawn(commandOf(part));
  child.stdin.end();
  return child;
}

async function run(part: Partial<SandboxCommand> & Pick<SandboxCommand, 'argv'>) {
  const child = start(part);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk;
    });
  return { exit: await child.exited, text };
}
