// SECURITY.md: "The kill switch stops everything". It stays set however the host ends, and works from a
// shell, a file and a signal.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sandboxed } from '../../support/processes.js';
import { main, temporaryFolder, toolwharf, until } from '../../support/toolwharf.js';
import { pythonTool } from '../../support/workbench.js';

const folder = temporaryFolder({
  'tools/nap.py': pythonTool({
    name: 'nap',
    head: ['import time'],
    body: ['time.sleep(float(text or "0"))', 'return {}'],
  }),
});
const tools = join(folder.path, 'tools');
const state = join(folder.path, 'state');
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  folder.remove();
});

async function host(): Promise<ChildProcess> {
  const args = [main, 'host', '--idle', '5m', '--state', state];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  started.push(child);
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  await until(() => stderr.includes('started'));
  return child;
}

const command = (...args: string[]) => toolwharf([...args, '--state', state], { cwd: folder.path });
const nap = (seconds = '0') => command('call', join(tools, 'nap.py'), JSON.stringify({ text: seconds }));

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exited;
}

test('a running call ends with exit code 5, and the kill switch stays set until it is lifted', async () => {
  const first = await host();
  const running = nap('60');
  await until(() => sandboxed(first.pid as number).some((it) => it.name.startsWith('python3')));
  const kill = await command('kill', 'all');
  expect(kill.stdout).toContain('all is stopped; 1 running call was ended');
  const call = await running;
  expect([call.code, call.stderr]).toEqual([5, expect.stringContaining('kill switch')]);

  await ended(first, 'SIGKILL');
  // No host is running, so the command starts its own.
  expect((await nap()).code).toBe(5);
  expect((await command('kill')).stdout).toMatch(/^all {2}since .* by \S+\/cli/);
  expect(JSON.parse((await command('list', tools, '--json')).stdout).packages[0].state).toBe('killed');
  expect((await command('kill', '--lift', 'all')).stdout).toBe('calls of all are allowed again\n');
  expect((await nap()).code).toBe(0);
});

test('SIGUSR2 stops everything, and the host keeps running', async () => {
  const child = await host();
  const running = nap('60');
  await until(() => sandboxed(child.pid as number).some((it) => it.name.startsWith('python3')));
  child.kill('SIGUSR2');
  expect((await running).code).toBe(5);
  await until(() => sandboxed(child.pid as number).length === 0, 2000);
  const listed = JSON.parse((await command('kill', '--json')).stdout);
  expect(listed.killed).toMatchObject([{ target: 'all', by: 'SIGUSR2' }]);
  expect(child.exitCode).toBe(null);
  await command('kill', '--lift', 'all');
  await ended(child, 'SIGTERM');
});

test('a host that hangs is stopped through the file when it runs again', async () => {
  const child = await host();
  const running = nap('60');
  await until(() => sandboxed(child.pid as number).some((it) => it.name.startsWith('python3')));
  child.kill('SIGSTOP');
  const kill = await command('kill', 'nap');
  expect([kill.code, kill.stderr]).toEqual([0, expect.stringContaining('reads the file within a second')]);
  child.kill('SIGCONT');
  expect((await running).code).toBe(5);
  const lift = await command('kill', '--lift', 'nap');
  expect([lift.code, lift.stderr]).toEqual([5, expect.stringContaining('KILL')]);
  await ended(child, 'SIGTERM');
});

test('a KILL file from before the start stops all calls', async () => {
  writeFileSync(join(state, 'KILL'), '');
  expect((await nap()).code).toBe(5);
});
