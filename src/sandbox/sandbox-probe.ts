import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userNamespaceHint } from './bubblewrap/user-namespace-hint.js';
import { folderUsage, memoryUsage, processTree } from './process/process-tree.js';
import { resourceLimitHint } from './process/resource-limit-hint.js';
import {
  defaultSandboxLimits,
  type ProbeResult,
  type SandboxCommand,
  type SandboxProcess,
} from './sandbox.js';

/**
 * Attempts from inside the sandbox what must be impossible: read a world-readable file of the machine, see a network,
 * write to the system, find the host's processes or environment, make denied system calls, start too many processes.
 * Prints one line per check that passed, then waits, so that the host can inspect it from outside. Uses shell built-ins
 * where possible, because starting a program takes longer than all checks together.
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

/** The problem to report if the line of a check is missing. */
const isolation: Readonly<Record<string, string>> = {
  user: 'the process runs as root',
  files: 'files of this machine are readable',
  network: 'network interfaces of this machine are visible',
  readonly: 'system folders are writable',
  environment: 'environment variables of the host are visible',
  processes: 'processes of this machine are visible',
  kernel: 'kernel settings are writable',
  namespaces: 'new user namespaces can be created',
  calls: 'the seccomp filter is not active',
  forks: 'the process limit is not enforced',
};

/** Process limit of the probe: fewer processes than it tries to start. */
const processes = 12;

/** `uncontrolled` tells, after a process was started, why the kernel does not limit the memory of all processes together. */
export async function probeSandbox(
  spawn: (command: SandboxCommand) => SandboxProcess,
  uncontrolled: () => { readonly reason: string; readonly hint: string } | null = () => null,
): Promise<ProbeResult> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-probe-'));
  const canary = join(folder, 'canary');
  try {
    // World-readable outside, so that its absence inside proves isolation.
    chmodSync(folder, 0o755);
    writeFileSync(canary, 'visible\n', { mode: 0o644 });
    const child = spawn({
      argv: ['/bin/sh', '-c', script, 'probe', canary],
      directory: '/tmp',
      environment: { PATH: '/usr/bin:/bin' },
      mounts: [],
      hidden: [],
      limits: { ...defaultSandboxLimits, processes },
      limitAddressSpace: true,
      egress: null,
    });
    const timer = setTimeout(() => child.kill(), 10_000);
    const unmonitored: string[] = [];
    const output = text(child.stdout, (soFar) => {
      if (!soFar.endsWith('waiting\n')) return;
      unmonitored.push(...unmonitoredTotals(child.pid));
      child.stdin.end();
    });
    const [stdout, stderr] = await Promise.all([output, text(child.stderr)]);
    const exit = await child.exited;
    clearTimeout(timer);
    const passed = new Set(stdout.split('\n'));
    const missing = Object.keys(isolation).filter((it) => !passed.has(it));
    if (exit.code === 0 && missing.length > 0)
      return unavailable(missing.map((it) => isolation[it] as string));
    if (exit.code !== 0) return unavailable([stderr.trim() || 'bubblewrap failed without an error message']);
    const watched = uncontrolled();
    const weak = [
      ...(watched === null
        ? []
        : [`the memory of all processes of a tool is watched, not limited by the kernel: ${watched.reason}`]),
      ...unmonitored,
    ];
    if (weak.length === 0) return { level: 'enforced' };
    return { level: 'degraded', reasons: weak, ...(watched === null ? {} : { hint: watched.hint }) };
  } catch (error) {
    return unavailable([error instanceof Error ? error.message : String(error)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Totals that this host cannot monitor; checked on the waiting probe. */
function unmonitoredTotals(pid: number): string[] {
  const tree = processTree(pid);
  const inside = tree[1];
  const memory = inside !== undefined && memoryUsage(tree.slice(1), 0) > 0;
  const files = inside !== undefined && folderUsage('/tmp', inside, defaultSandboxLimits.diskBytes) !== null;
  return [
    ...(memory ? [] : ['the total memory of all processes of a tool cannot be monitored']),
    ...(files ? [] : ['the number of files in /tmp cannot be monitored']),
  ];
}

function unavailable(reasons: readonly string[]): ProbeResult {
  const limits = readSetting('/proc/self/limits') ?? '';
  const hint = resourceLimitHint(limits, defaultSandboxLimits) ?? userNamespaceHint(readSetting);
  return { level: 'unavailable', reasons, hint };
}

function readSetting(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

async function text(
  stream: AsyncIterable<unknown>,
  onText: (soFar: string) => void = () => {},
): Promise<string> {
  let all = '';
  for await (const chunk of stream) {
    all += String(chunk);
    onText(all);
  }
  return all;
}
