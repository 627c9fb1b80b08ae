// SECURITY.md: "Bounded memory". A tool without permissions takes memory in ways that no limit per process counts.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import { defaultSandboxLimits, type Sandbox } from '../../../src/sandbox/sandbox.js';
import { writableControlGroup } from '../../support/control-group.js';
import {
  attackGoal,
  attackLimit,
  type MemoryAttack,
  mebibyte,
  memoryAttacks,
} from '../../support/memory-attacks.js';
import { type Finished, finished, textOf, unprivileged } from './escape/run.js';

const watched = bubblewrap({ memoryGroups: () => ({ reason: 'the test uses none', hint: '' }) });
const grouped = bubblewrap();
const python = '/usr/bin/python3';

const ownGroup = writableControlGroup();

async function confined(sandbox: Sandbox, { code }: MemoryAttack) {
  const limits = { ...defaultSandboxLimits, memoryBytes: attackLimit, diskBytes: 300 * mebibyte };
  return finished(sandbox, {
    argv: [python, '-I', '-c', code],
    directory: '/tmp',
    environment: { PATH: '/usr/bin:/bin' },
    mounts: [],
    hidden: [],
    limits,
    // As for Node, whose programs could do the same.
    limitAddressSpace: false,
    egress: null,
  });
}

/** The program without a sandbox, as an ordinary user, with 320 MiB at most where that can be limited. */
async function unconfined({ code, counted }: MemoryAttack): Promise<{ text: string; bytes: number | null }> {
  const group = ownGroup === null ? null : join(ownGroup, `toolwharf-control-${process.pid}`);
  if (group !== null) {
    mkdirSync(group);
    writeFileSync(join(group, 'memory.limit_in_bytes'), String(320 * mebibyte));
    writeFileSync(join(group, 'memory.kmem.tcp.limit_in_bytes'), String(320 * mebibyte));
  }
  // It waits for a line, so that it is in its group before it begins.
  const child = spawn('/bin/sh', ['-c', 'read -r go; exec "$@"', 'sh', python, '-I', '-c', code], {
    ...unprivileged(watched),
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    if (group !== null) writeFileSync(join(group, 'cgroup.procs'), String(child.pid));
    child.stdin.end('go\n');
    const end = () => {
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch {
        // The whole group has ended.
      }
    };
    child.once('exit', end);
    const text = await textOf(child);
    const file = counted === 'sockets' ? 'memory.kmem.tcp.max_usage_in_bytes' : 'memory.max_usage_in_bytes';
    return { text, bytes: group === null ? null : Number(readFileSync(join(group, file), 'utf8')) };
  } finally {
    if (group !== null) await removed(group);
  }
}

async function removed(group: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      rmdirSync(group);
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

describe.each(memoryAttacks)('memory in $name', (attack) => {
  test('control: without a sandbox the program takes 256 MiB', async () => {
    const { text, bytes } = await unconfined(attack);
    expect(text).toBe('BEGAN\nREACHED\n');
    // Payload of sockets and pages both count at least as much as the program says.
    if (bytes !== null) expect(bytes).toBeGreaterThan(attackGoal * 0.9);
  });

  test('cannot exceed the limit while it is watched', async () => {
    expectBounded(await confined(watched, attack));
  });

  test.runIf(ownGroup !== null)(
    'cannot exceed the limit of a control group (needs a control group)',
    async () => {
      expectBounded(await confined(grouped, attack));
    },
  );
});

/** It was ended for its memory, or could not take more than the limit and says how much. */
function expectBounded({ text, exit }: Finished): void {
  expect(text).toContain('BEGAN');
  expect(text).not.toContain('REACHED');
  if (exit.exceeded === 'memory') return;
  const [, stopped] = /^STOPPED (.*)$/m.exec(text) ?? [];
  expect(stopped, text).toBeDefined();
  // Without a number: the kernel denied the first step.
  if (/^\d+$/.test(stopped as string)) expect(Number(stopped)).toBeLessThanOrEqual(attackLimit);
}

describe('the choice of the OOM killer', () => {
  const code = `
def put(value):
    try:
        with open("/proc/self/oom_score_adj", "w") as file: file.write(value)
    except OSError: pass
${'put("1000")\n'}put("0")
print(open("/proc/self/oom_score_adj").read().strip())`;

  test('control: an ordinary process can undo it', async () => {
    const child = spawn(python, ['-I', '-c', code], { ...unprivileged(watched), cwd: '/' });
    expect(await textOf(child)).toBe('0\n');
  });

  test.each([
    ['watched', watched],
    ['limited', grouped],
  ])('cannot be undone in a sandbox whose memory is %s', async (_name, sandbox) => {
    const { text } = await confined(sandbox, { name: '', counted: 'memory', code });
    expect(text).toBe('1000\n');
  });
});
