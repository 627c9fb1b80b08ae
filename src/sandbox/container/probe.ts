import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLimits, type Limits, type SandboxProcess, type Verdict } from '../sandbox.js';

/**
 * Tries from inside what must not be possible. One line for each thing that held. The root of the image is looked at in
 * the list of mounts, because somebody who is not root could not write to it anyway.
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

/** Without these nothing runs. */
const isolation: Readonly<Record<string, string>> = {
  user: 'the process runs as root',
  files: 'files of this machine can be read',
  network: 'the network of this machine can be seen',
  readonly: 'the root of the image can be written to',
  environment: 'the environment of the engine arrives',
  processes: 'processes of this machine can be seen',
  kernel: 'kernel settings can be written to',
  capabilities: 'the process keeps capabilities',
  privileges: 'the process can gain privileges',
  forks: 'the bound on processes does not hold',
};

/** Without these it is weaker, and says so. */
const bounds: Readonly<Record<string, string>> = {
  calls: 'the container engine sets no system call filter',
  memory: 'the bound on memory does not hold in containers',
};

const limits: Limits = { ...defaultLimits, processes: 12, memoryBytes: 48 * 1024 * 1024 };

/** What came of it. */
export interface Trial {
  /** A container ran to its end, whatever it could do. */
  readonly started: boolean;
  readonly verdict: Verdict;
}

export type StartTrial = (argv: readonly string[], limits: Limits) => SandboxProcess;

/** Runs one container and looks what it can do. */
export async function probeContainer(start: StartTrial, hint: string): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-probe-'));
  const canary = join(folder, 'canary');
  try {
    chmodSync(folder, 0o755);
    writeFileSync(canary, 'visible\n', { mode: 0o644 });
    const child = start(['/bin/sh', '-c', script, 'probe', canary], limits);
    const timer = setTimeout(() => child.kill(), 20_000);
    child.stdin.end();
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await child.exited;
    clearTimeout(timer);
    const held = new Set(said.split('\n'));
    if (!held.has('done')) {
      const why = complaint.trim().split('\n').at(-1)?.slice(0, 500) || 'no container could be started';
      return { started: false, verdict: { level: 'unavailable', reasons: [why], hint } };
    }
    return { started: true, verdict: judge(held, hint) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge(held: ReadonlySet<string>, hint: string): Verdict {
  const lost = (all: Readonly<Record<string, string>>) =>
    Object.entries(all).flatMap(([name, complaint]) => (held.has(name) ? [] : [complaint]));
  const missing = lost(isolation);
  if (missing.length > 0) return { level: 'unavailable', reasons: missing, hint };
  const weak = lost(bounds);
  return weak.length === 0 ? { level: 'enforced' } : { level: 'degraded', reasons: weak };
}

async function text(stream: AsyncIterable<unknown>): Promise<string> {
  let all = '';
  for await (const chunk of stream) if (all.length < 64 * 1024) all += String(chunk);
  return all;
}
