// SECURITY.md: "The kill switch …": it holds however the host ends, and works from a shell, a file and a signal.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sandboxed } from '../processes.js';
import { main, temporaryFolder, toolwharf, until } from '../toolwharf.js';
import { pythonTool } from '../workbench.js';

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
  const words = [main, 'host', '--idle', '5m', '--state', state];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  started.push(child);
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  await until(() => said.includes('started'));
  return child;
}

const command = (...words: string[]) => toolwharf([...words, '--state', state], { cwd: folder.path });
const nap = (seconds = '0') => command('call', join(tools, 'nap.py'), JSON.stringify({ text: seconds }));

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

test('a running call ends with exit code 5; a killed host comes back stopped; only lifting helps', async () => {
  const first = await host();
  const running = nap('60');
  await until(() => sandboxed(first.pid as number).some((it) => it.name.startsWith('python3')));
  const kill = await command('kill', 'all');
  expect(kill.stdout).toContain('all is stopped; 1 running call was ended');
  const call = await running;
  expect([call.code, call.stderr]).toEqual([5, expect.stringContaining('kill switch')]);

  await ended(first, 'SIGKILL');
  // No host: the command is one itself.
  expect((await nap()).code).toBe(5);
  expect((await command('kill')).stdout).toMatch(/^all {2}since .* by \S+\/cli/);
  expect(JSON.parse((await command('list', tools, '--json')).stdout).packages[0].state).toBe('killed');
  expect((await command('kill', '--lift', 'all')).stdout).toBe('all may run again\n');
  expect((await nap()).code).toBe(0);
});

test('SIGUSR2 stops everything, and the host lives on', async () => {
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

test('a host that hangs is stopped through the file, as soon as it looks again', async () => {
  const child = await host();
  const running = nap('60');
  await until(() => sandboxed(child.pid as number).some((it) => it.name.startsWith('python3')));
  child.kill('SIGSTOP');
  const kill = await command('kill', 'nap');
  expect([kill.code, kill.stderr]).toEqual([0, expect.stringContaining('sees the file within a second')]);
  child.kill('SIGCONT');
  expect((await running).code).toBe(5);
  const lift = await command('kill', '--lift', 'nap');
  expect([lift.code, lift.stderr]).toEqual([5, expect.stringContaining('KILL')]);
  await ended(child, 'SIGTERM');
});

test('a file that was there before the host stops everything from the first call on', async () => {
  writeFileSync(join(state, 'KILL'), '');
  expect((await nap()).code).toBe(5);
});
