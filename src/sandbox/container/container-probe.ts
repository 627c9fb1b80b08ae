import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defaultSandboxLimits,
  type ProbeResult,
  type SandboxLimits,
  type SandboxProcess,
} from '../sandbox.js';

/**
 * Attempts from inside a container what must be impossible. Prints one line per check that passed. Whether the image's
 * root is read-only is read from /proc/mounts, because a user who is not root could not write to it in any case.
 */
const script = `
[ "$(id -u)" != 0 ] && [ "$(id -g)" != 0 ] && echo user
[ -e "$1" ] || echo files
[ "$(grep -c : /proc/net/dev)" = 1 ] && grep -q 'lo:' /proc/net/dev && echo network
grep -q '^[^ ]* / [^ ]* ro[ ,]' /proc/mounts && echo readonly
env | grep -q TOOLWHARF_CANARY || echo environment
[ "$(ls -d /proc/[0-9]* | wc -l)" -lt 12 ] && echo processes
( : > /proc/sys/kernel/core_pattern ) 2>/dev/null || echo kernel
grep -q '^CapBnd:.0*$' /proc/self/status && grep -q '^CapEff:.0*$' /proc/self/status && echo capabilities
grep -q '^NoNewPrivs:.1$' /proc/self/status && echo privileges
grep -q '^Seccomp:.2$' /proc/self/status && echo calls
[ "$(head -c 100000000 /dev/zero | tail -n 1 | wc -c)" -lt 100000000 ] && echo memory
( i=0; while [ $i -lt 16 ]; do sleep 60 >/dev/null & i=$((i+1)); done ) 2>/dev/null || echo forks
echo done
exit 0
`;

/** Required checks: if one fails, no container runs. The text is the problem to report. */
const isolation: Readonly<Record<string, string>> = {
  user: 'the process runs as root',
  files: 'files of this machine are readable',
  network: 'network interfaces of this machine are visible',
  readonly: 'the root filesystem of the image is writable',
  environment: 'environment variables of the engine are visible',
  processes: 'processes of this machine are visible',
  kernel: 'kernel settings are writable',
  capabilities: 'the process keeps Linux capabilities',
  privileges: 'the process can gain privileges',
  forks: 'the process limit is not enforced',
};

/** Optional checks: if one fails, containers run with a warning. */
const limitChecks: Readonly<Record<string, string>> = {
  calls: 'the container engine sets no seccomp filter',
  memory: 'the memory limit is not enforced in containers',
};

const limits: SandboxLimits = { ...defaultSandboxLimits, processes: 12, memoryBytes: 48 * 1024 * 1024 };

/** The outcome of one probe. */
export interface ContainerProbe {
  /** A container ran to its end, whatever the result. */
  readonly started: boolean;
  readonly result: ProbeResult;
}

export type StartProbeContainer = (argv: readonly string[], limits: SandboxLimits) => SandboxProcess;

/** Runs the checks in one container. */
export async function probeContainer(start: StartProbeContainer, hint: string): Promise<ContainerProbe> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-probe-'));
  const canary = join(folder, 'canary');
  try {
    chmodSync(folder, 0o755);
    writeFileSync(canary, 'visible\n', { mode: 0o644 });
    const child = start(['/bin/sh', '-c', script, 'probe', canary], limits);
    const timer = setTimeout(() => child.kill(), 20_000);
    child.stdin.end();
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await child.exited;
    clearTimeout(timer);
    const passed = new Set(stdout.split('\n'));
    if (!passed.has('done')) {
      const why = stderr.trim().split('\n').at(-1)?.slice(0, 500) || 'no container could be started';
      return { started: false, result: { level: 'unavailable', reasons: [why], hint } };
    }
    return { started: true, result: evaluate(passed, hint) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function evaluate(passed: ReadonlySet<string>, hint: string): ProbeResult {
  const failures = (checks: Readonly<Record<string, string>>) =>
    Object.entries(checks).flatMap(([name, problem]) => (passed.has(name) ? [] : [problem]));
  const missing = failures(isolation);
  if (missing.length > 0) return { level: 'unavailable', reasons: missing, hint };
  const weak = failures(limitChecks);
  return weak.length === 0 ? { level: 'enforced' } : { level: 'degraded', reasons: weak };
}

async function text(stream: AsyncIterable<unknown>): Promise<string> {
  let all = '';
  for await (const chunk of stream) if (all.length < 64 * 1024) all += String(chunk);
  return all;
}
