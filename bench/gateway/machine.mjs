// Processes of the benchmark and what the kernel says about them.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const started = new Set();
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A process in a group of its own: it and what it started can be ended together, and nothing else is. */
export function start(words, { folder, log, pipes = false, environment = {} }) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const out = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, words, {
    cwd: folder,
    detached: true,
    stdio: pipes ? ['pipe', 'pipe', out] : ['ignore', out, out],
    env: { PATH: '/usr/bin:/bin', HOME: home, ...environment },
  });
  child.on('error', () => {});
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

export async function end(child) {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    signal(child.pid, 'SIGTERM');
    await Promise.race([gone, pause(4_000)]);
  }
  signal(-child.pid, 'SIGKILL');
}

export function endAll() {
  for (const child of started) signal(-child.pid, 'SIGKILL');
}

/** The host that a shim started in the background for this state directory. */
export function hostOf(state) {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (words.includes('host') && words.includes(state)) return Number(name);
    } catch {
      // It ended meanwhile.
    }
  }
  return 0;
}

export async function endHostOf(state) {
  const pid = hostOf(state);
  if (pid === 0) return;
  signal(pid, 'SIGTERM');
  for (let tries = 0; tries < 300 && signal(pid, 0); tries++) await pause(20);
  if (signal(pid, 0)) throw new Error('a host in the background did not end');
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** User and system time so far, in microseconds. The kernel counts in ticks of 10 ms, so only many calls say something. */
export function cpuOf(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * 10_000;
}

/** MiB of one process: its share, and all that is resident. */
export function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const read = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
  return { pss: read('Pss'), rss: read('Rss') };
}

export const at = (list, part) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))];
export const median = (list) => at(list, 0.5);
