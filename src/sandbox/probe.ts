import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixHint } from './fix-hint.js';
import { filesIn, memoryOf, processesBelow } from './process-tree.js';
import { defaultLimits, type SandboxCommand, type SandboxProcess, type Verdict } from './sandbox.js';

/**
 * Tries from inside what must not be possible: read a file that everybody outside may read, see a network,
 * write to the system, find the host's processes or environment, make calls that the filter refuses, start more
 * processes than allowed. One line per thing that held; then it waits, so that it can be looked at from outside. The shell does
 * it by itself where it can: each program that it would start takes longer than all of its own looking.
 */
const script = `
while read -r name first second rest; do case $name in Uid:) uid=$second ;; Seccomp:) mode=$first ;; esac; done < /proc/self/status
[ -n "$uid" ] && [ "$uid" != 0 ] && echo user
[ -e "$1" ] || echo files
devices=0 other=0
while read -r name rest; do case $name in lo:*) devices=$((devices+1)) ;; *:*) other=1 ;; esac; done < /proc/net/dev
[ $devices = 1 ] && [ $other = 0 ] && echo network
( : > /usr/.toolwharf ) 2>/dev/null || echo readonly
env | { lines=0; while read -r line; do lines=$((lines+1)); done; [ $lines -gt 0 ] && [ $lines -le 3 ]; } && echo environment
set -- /proc/[0-9]*; [ $# -lt 12 ] && echo processes
( : > /proc/sys/kernel/core_pattern ) 2>/dev/null || echo kernel
command -v unshare >/dev/null && { unshare -U true 2>/dev/null || echo namespaces; }
[ "$mode" = 2 ] && : > /tmp/s && { chmod 4755 /tmp/s 2>/dev/null || echo calls; }
exec 3<&0
( i=0; while [ $i -lt 16 ]; do { read -r nothing <&3; } & i=$((i+1)); done ) 2>/dev/null || echo forks
echo waiting
read -r nothing
exit 0
`;

/** What each line stands for, in the words of a complaint. */
const isolation: Readonly<Record<string, string>> = {
  user: 'the process runs as root',
  files: 'files of this machine can be read',
  network: 'the network of this machine can be seen',
  readonly: 'the system can be written to',
  environment: 'the environment of the host arrives',
  processes: 'processes of this machine can be seen',
  kernel: 'kernel settings can be written to',
  namespaces: 'new user namespaces can be made',
  calls: 'the system call filter is not in force',
  forks: 'the bound on processes does not hold',
};

/** Processes that the probe may start: fewer than it tries. */
const processes = 12;

export async function probeConfinement(spawn: (command: SandboxCommand) => SandboxProcess): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-probe-'));
  const canary = join(folder, 'canary');
  try {
    // Readable by everybody outside, so that not finding it inside means something.
    chmodSync(folder, 0o755);
    writeFileSync(canary, 'visible\n', { mode: 0o644 });
    const child = spawn({
      argv: ['/bin/sh', '-c', script, 'probe', canary],
      directory: '/tmp',
      environment: { PATH: '/usr/bin:/bin' },
      mounts: [],
      hidden: [],
      limits: { ...defaultLimits, processes },
      boundAddressSpace: true,
      egress: null,
    });
    const timer = setTimeout(() => child.kill(), 10_000);
    const unwatched: string[] = [];
    const output = text(child.stdout, (soFar) => {
      if (!soFar.endsWith('waiting\n')) return;
      unwatched.push(...unseen(child.pid));
      child.stdin.end();
    });
    const [said, complaint] = await Promise.all([output, text(child.stderr)]);
    const exit = await child.exited;
    clearTimeout(timer);
    const held = new Set(said.split('\n'));
    const missing = Object.keys(isolation).filter((it) => !held.has(it));
    if (exit.code === 0 && missing.length > 0)
      return unavailable(missing.map((it) => isolation[it] as string));
    if (exit.code !== 0) return unavailable([complaint.trim() || 'bubblewrap failed']);
    return unwatched.length === 0 ? { level: 'enforced' } : { level: 'degraded', reasons: unwatched };
  } catch (error) {
    return unavailable([error instanceof Error ? error.message : String(error)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Totals that this host cannot watch, looking at the probe while it waits. */
function unseen(pid: number): string[] {
  const found = processesBelow(pid);
  const inside = found[1];
  const memory = inside !== undefined && memoryOf(found.slice(1), 0) > 0;
  const files = inside !== undefined && filesIn('/tmp', inside, defaultLimits.diskBytes) !== null;
  return [
    ...(memory ? [] : ['the memory of all processes of a tool together cannot be watched']),
    ...(files ? [] : ['the number of files in a private folder cannot be watched']),
  ];
}

function unavailable(reasons: readonly string[]): Verdict {
  return { level: 'unavailable', reasons, hint: fixHint(setting) };
}

function setting(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

async function text(
  stream: AsyncIterable<unknown>,
  heard: (soFar: string) => void = () => {},
): Promise<string> {
  let all = '';
  for await (const chunk of stream) {
    all += String(chunk);
    heard(all);
  }
  return all;
}
