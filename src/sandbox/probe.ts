import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLimits, type SandboxCommand, type SandboxProcess, type Verdict } from './sandbox.js';

const hint =
  'user namespaces may be switched off on this machine; try: bwrap --unshare-user --ro-bind / / true';

/**
 * Tries from inside what must not be possible: read a file that everybody outside may read, see a network,
 * write to the system, find the host's processes or environment. One line per thing that held.
 */
const script = `
[ "$(id -u)" != 0 ] && echo user
[ -e "$1" ] || echo files
[ "$(grep -c : /proc/net/dev)" = 1 ] && grep -q 'lo:' /proc/net/dev && echo network
( : > /usr/.toolport ) 2>/dev/null || echo readonly
[ "$(env | wc -l)" -le 3 ] && echo environment
[ "$(ls -d /proc/[0-9]* | wc -l)" -lt 12 ] && echo processes
( : > /proc/sys/kernel/core_pattern ) 2>/dev/null || echo kernel
command -v unshare >/dev/null && { unshare -U true 2>/dev/null || echo namespaces; }
exit 0
`;

const wanted = ['user', 'files', 'network', 'readonly', 'environment', 'processes', 'kernel', 'namespaces'];

export async function probeConfinement(spawn: (command: SandboxCommand) => SandboxProcess): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'toolport-probe-'));
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
      limits: defaultLimits,
    });
    const timer = setTimeout(() => child.kill(), 10_000);
    child.stdin.end();
    const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const exit = await child.exited;
    clearTimeout(timer);
    const held = new Set(output.split('\n'));
    const missing = wanted.filter((it) => !held.has(it));
    if (exit.code === 0 && missing.length === 0) return { level: 'enforced' };
    const reasons =
      exit.code === 0
        ? missing.map((it) => `isolation of ${it} does not hold`)
        : [complaint.trim() || 'bubblewrap failed'];
    return { level: 'unavailable', reasons, hint };
  } catch (error) {
    return { level: 'unavailable', reasons: [error instanceof Error ? error.message : String(error)], hint };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function text(stream: AsyncIterable<unknown>): Promise<string> {
  let all = '';
  for await (const chunk of stream) all += String(chunk);
  return all;
}
