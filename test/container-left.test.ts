// A host that is killed leaves no container: its reaper ends them, and where that was killed too, the next host does.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createHost } from '../src/index.js';
import { containerPackage, openHouse, shellAction } from './container-house.js';
import { allProcesses } from './processes.js';
import { main, temporaryFolder, until } from './toolwharf.js';

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It ended meanwhile.
    return [];
  }
}

const { house, skipped } = openHouse();
const folder = temporaryFolder({ 'left/note': 'beside the manifest' });

describe.skipIf(skipped !== '')(`containers of a host that was killed${skipped}`, () => {
  afterAll(() => {
    house.remove();
    folder.remove();
  });
  const manifest = join(folder.path, 'left', 'toolspace.json');
  const state = join(folder.path, 'state');

  /** A call that does not end, in a host of its own. */
  const start = async () => {
    writeFileSync(
      manifest,
      containerPackage({ id: 'left', image: house.image, command: ['sh'], actions: [shellAction] }),
    );
    const words = ['call', manifest, 'run', '--state', state, '--json', '{"script":"sleep 300"}'];
    const child = spawn(process.execPath, [main, ...words], {
      env: { ...process.env, TOOLWHARF_CONTAINER_ENGINE: house.engine },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    const running = () => house.podman('ps', '--format', '{{.Command}}').stdout.includes('sleep 300');
    await until(() => running() || child.exitCode !== null, 30_000);
    expect(child.exitCode, said).toBeNull();
    return child;
  };
  const reapers = () =>
    allProcesses().filter(({ pid }) => {
      const words = commandOf(pid);
      return words.includes('reaper') && words.includes(house.engine);
    });

  test('the reaper ends them at once', async () => {
    const host = await start();
    expect(house.containers()).toHaveLength(1);
    host.kill('SIGKILL');
    await until(() => house.containers().length === 0, 10_000);
    expect(house.containers()).toEqual([]);
  });

  test('where the reaper was killed too, the next host does', async () => {
    const host = await start();
    for (const it of reapers()) process.kill(it.pid, 'SIGKILL');
    host.kill('SIGKILL');
    await until(() => host.signalCode !== null, 5000);
    expect(house.containers()).toHaveLength(1);
    const next = await createHost({ state });
    await next.session({
      directories: [manifest],
      root: folder.path,
      policy: { containers: { engine: house.engine } },
    });
    await next.close();
    expect(house.containers()).toEqual([]);
  });
});
