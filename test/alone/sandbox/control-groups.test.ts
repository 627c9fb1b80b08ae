// Real control groups of version 1, and sandboxes whose groups fail. Nothing of a package runs outside of its group.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../scripts/bundle.mjs';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import type { MemoryGroup } from '../../../src/sandbox/cgroup/memory-group.js';
import { systemMemoryGroups } from '../../../src/sandbox/cgroup/system-memory-groups.js';
import { processTree } from '../../../src/sandbox/process/process-tree.js';
import { defaultSandboxLimits, type SandboxCommand } from '../../../src/sandbox/sandbox.js';
import { writableControlGroup } from '../../support/control-group.js';
import { pause } from '../../support/processes.js';
import { until } from '../../support/toolwharf.js';

const folder = mkdtempSync(join(tmpdir(), 'toolwharf-groups-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const command = (script: string): SandboxCommand => ({
  argv: ['/bin/sh', '-c', script],
  directory: '/tmp',
  environment: { PATH: '/usr/bin:/bin' },
  mounts: [],
  hidden: [],
  limits: defaultSandboxLimits,
  limitAddressSpace: false,
  egress: null,
});

describe('a sandbox with a control group', () => {
  const group: MemoryGroup = { limit: () => {}, add: async () => {}, ranOut: () => false, remove: () => {} };
  const sandboxWith = (changes: Partial<MemoryGroup>) =>
    bubblewrap({ memoryGroups: () => ({ create: () => ({ ...group, ...changes }) }) });
  const output = async (changes: Partial<MemoryGroup>) => {
    const child = sandboxWith(changes).spawn(command('echo ran'));
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    const failure = await child.exited.then(
      () => null,
      (error: Error) => error.message,
    );
    return { text, failure };
  };

  test('runs the command when it is in its group, with the limits', async () => {
    const steps: string[] = [];
    const add = async () => {
      await pause(200);
      steps.push('added');
    };
    const limit = () => void steps.push('limited');
    const child = sandboxWith({ add, limit }).spawn(command('echo ran'));
    child.stdout.once('data', (chunk) => steps.push(String(chunk).trim()));
    await child.exited;
    // Later the next launcher is added to a group too.
    expect(steps.slice(0, 2)).toEqual(['added', 'limited']);
    expect(steps.slice(2)).toContain('ran');
  });

  test('runs nothing if the process cannot be moved into the group', async () => {
    const add = async () => {
      throw new Error('no such group');
    };
    expect(await output({ add })).toEqual({ text: '', failure: 'no such group' });
  });

  test('runs nothing if the limits cannot be set', async () => {
    const limit = () => {
      throw new Error('no such limit');
    };
    expect(await output({ limit })).toEqual({ text: '', failure: 'no such limit' });
    // Control: with a group that works, it runs.
    expect(await output({})).toEqual({ text: 'ran\n', failure: null });
  });

  test('reports that the kernel ended it for its memory', async () => {
    const child = sandboxWith({ ranOut: () => true }).spawn(command('exit 3'));
    expect(await child.exited).toEqual({ code: 3, signal: null, exceeded: 'memory' });
  });

  test('can be killed at any moment of its start', async () => {
    for (const wait of [0, 1, 3, 8, 15, 30]) {
      const child = bubblewrap().spawn(command('sleep 20'));
      if (wait > 0) await pause(wait);
      child.kill();
      expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
    }
  });

  test('does not pass on descriptors of its setup', async () => {
    const list = 'for it in /proc/$$/fd/*; do readlink "$it"; done';
    const child = bubblewrap().spawn(command(list));
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    await child.exited;
    const [input, output, errors, ...others] = text.trim().split('\n');
    for (const it of [input, output, errors]) expect(it).toMatch(/^(?:socket|pipe):/);
    // What the host itself inherited is replaced by /dev/null.
    expect(others.filter((it) => it !== '/dev/null')).toEqual([]);
  });
});

test('without control groups the sandbox works and is degraded, with the reason and what to do', async () => {
  const sandbox = bubblewrap({ memoryGroups: () => ({ reason: 'the test has none', hint: 'use one' }) });
  expect(await sandbox.probe()).toEqual({
    level: 'degraded',
    reasons: [
      'the memory of all processes of a tool is watched, not limited by the kernel: the test has none',
    ],
    hint: 'use one',
  });
});

const own = writableControlGroup();

describe.runIf(own !== null)('control groups of this machine (needs a control group)', () => {
  const parent = own as string;
  const groupsOf = (pid: number | undefined) =>
    readdirSync(parent).filter((it) => new RegExp(`^toolwharf-\\d+-${pid}-`).test(it));
  let hostScript: string;

  beforeAll(async () => {
    hostScript = join(folder, 'host.mjs');
    const source = join(import.meta.dirname, '../../../src/sandbox');
    const contents = `
      import { bubblewrap } from ${JSON.stringify(join(source, 'bubblewrap', 'bubblewrap.ts'))};
      const child = bubblewrap({ pidFolder: process.argv[2] }).spawn(${JSON.stringify(command('sleep 300 & echo up; wait'))});
      child.stdout.once('data', () => console.log(child.pid));`;
    await bundleModule(contents, folder, hostScript);
  });

  async function startHost(name: string) {
    const state = join(folder, name);
    mkdirSync(state, { recursive: true });
    const host = spawn(process.execPath, [hostScript, state], { stdio: ['ignore', 'pipe', 'inherit'] });
    const first = await new Promise<number>((resolve) =>
      host.stdout.once('data', (chunk) => resolve(Number(String(chunk)))),
    );
    return { host, state, processes: processTree(first) };
  }

  test('every process of a sandbox is in its group, which is removed afterwards', async () => {
    const child = bubblewrap().spawn(command('sleep 300 & echo up; wait'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const groups = processTree(child.pid).map(
      (pid) => /memory:(.*)/.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1],
    );
    expect(groups.length).toBeGreaterThan(2);
    expect(new Set(groups).size).toBe(1);
    const name = groups[0]?.split('/').at(-1) as string;
    expect(groupsOf(process.pid)).toContain(name);
    expect(readFileSync(join(parent, name, 'memory.limit_in_bytes'), 'utf8').trim()).toBe(
      String(defaultSandboxLimits.memoryBytes),
    );
    child.kill();
    await child.exited;
    await until(() => !groupsOf(process.pid).includes(name));
  });

  test('the watchdog of a killed host removes its groups', async () => {
    const { host } = await startHost('killed');
    expect(groupsOf(host.pid).length).toBeGreaterThan(0);
    host.kill('SIGKILL');
    await until(() => groupsOf(host.pid).length === 0);
  });

  test('the next host removes the groups of a host that was killed with its watchdogs', async () => {
    const { host, state, processes } = await startHost('alone');
    await until(() => groupsOf(host.pid).length > 1);
    const others = processTree(host.pid as number).filter((it) => it !== host.pid);
    // Paused first, so that none of them notices the end of the host.
    for (const it of others) process.kill(it, 'SIGSTOP');
    host.kill('SIGKILL');
    for (const it of others) if (!processes.includes(it)) process.kill(it, 'SIGKILL');
    await pause(300);
    // Control: nobody else removes them.
    expect(groupsOf(host.pid).length).toBeGreaterThan(0);
    expect(readFileSync(join(state, 'cgroup-folders'), 'utf8')).toBe(`${parent}\n`);
    systemMemoryGroups(state);
    await until(() => {
      systemMemoryGroups(state);
      return groupsOf(host.pid).length === 0;
    });
  });
});
