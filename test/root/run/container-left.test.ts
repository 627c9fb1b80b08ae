// The watchdog of a killed host removes its containers. If it was killed too, the next host does.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createHost } from '../../../src/index.js';
import { containerPackage, openContainerBench, shellAction } from '../../support/container-bench.js';
import { allProcesses } from '../../support/processes.js';
import { main, temporaryFolder, until } from '../../support/toolwharf.js';

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // The process has ended.
    return [];
  }
}

const { containerBench, skipped } = openContainerBench();
const folder = temporaryFolder({ 'left/note': 'next to the manifest' });

describe.skipIf(skipped !== '')(`containers of a killed host${skipped}`, () => {
  afterAll(() => {
    containerBench.remove();
    folder.remove();
  });
  const manifest = join(folder.path, 'left', 'toolspace.json');
  const state = join(folder.path, 'state');

  /** Starts a call that does not end, in its own host process. */
  const start = async () => {
    writeFileSync(
      manifest,
      containerPackage({ id: 'left', image: containerBench.image, command: ['sh'], actions: [shellAction] }),
    );
    const args = ['call', manifest, 'run', '--state', state, '--json', '{"script":"sleep 300"}'];
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, TOOLWHARF_CONTAINER_ENGINE: containerBench.engine },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const running = () =>
      containerBench.podman('ps', '--format', '{{.Command}}').stdout.includes('sleep 300');
    await until(() => running() || child.exitCode !== null, 30_000);
    expect(child.exitCode, output).toBeNull();
    return child;
  };
  const watchdogs = () =>
    allProcesses().filter(({ pid }) => {
      const argv = commandOf(pid);
      return argv.includes('watchdog') && argv.includes(containerBench.engine);
    });

  test('the watchdog removes the containers of a killed host at once', async () => {
    const host = await start();
    expect(containerBench.containers()).toHaveLength(1);
    host.kill('SIGKILL');
    await until(() => containerBench.containers().length === 0, 10_000);
    expect(containerBench.containers()).toEqual([]);
  });

  test('if the watchdog was killed too, the next host removes the containers', async () => {
    const host = await start();
    for (const it of watchdogs()) process.kill(it.pid, 'SIGKILL');
    host.kill('SIGKILL');
    await until(() => host.signalCode !== null, 5000);
    expect(containerBench.containers()).toHaveLength(1);
    const next = await createHost({ state });
    await next.session({
      directories: [manifest],
      root: folder.path,
      policy: { containers: { engine: containerBench.engine } },
    });
    await next.close();
    expect(containerBench.containers()).toEqual([]);
  });
});
