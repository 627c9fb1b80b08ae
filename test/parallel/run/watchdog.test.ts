// The shell that ends programs of a killed host: there while it has something to watch, and not much longer.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startWatchdog } from '../../../src/sandbox/process/watchdog.js';

test('a watchdog ends when nothing is left to watch, and comes back for the next program', async () => {
  const mark = `mark-${process.pid}`;
  const watchdog = startWatchdog({
    ...{ killCommand: 'true', args: [mark], environment: { PATH: '/usr/bin:/bin' }, idleMs: 200 },
  });
  const shells = () => readdirSync('/proc').filter((pid) => argsOf(pid).includes(mark)).length;
  expect(shells()).toBe(0);
  for (const name of ['1', '2']) {
    watchdog.add(name);
    await expect.poll(shells).toBe(1);
    // Control: it stays as long as there is something.
    await new Promise((done) => setTimeout(done, 400));
    expect(shells()).toBe(1);
    watchdog.remove(name);
    await expect.poll(shells, { timeout: 5000 }).toBe(0);
  }
});

function argsOf(pid: string): readonly string[] {
  try {
    return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') : [];
  } catch {
    return [];
  }
}
