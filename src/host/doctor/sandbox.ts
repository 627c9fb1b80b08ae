import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Interpreter } from '../../sandbox/interpreter.js';
import type { ProbeResult, Sandbox } from '../../sandbox/sandbox.js';
import type { Check } from '../host.js';
import { runInSandbox } from './probe-command.js';

/** A test server on 127.0.0.1 that counts connections and answers every request with its greeting. */
export interface Listener {
  readonly port: number;
  readonly greeting: string;
  connections(): number;
}

export function checkProbeResult(name: string, probeResult: ProbeResult): Check {
  const id = 'sandbox';
  switch (probeResult.level) {
    case 'enforced':
      return { id, status: 'ok', message: `${name} isolates files, network, environment and processes` };
    case 'degraded':
      return {
        id,
        status: 'warn',
        message: `${name} does not enforce everything: ${probeResult.reasons.join('; ')}`,
        ...(probeResult.hint === undefined ? {} : { fix: probeResult.hint }),
      };
    case 'unavailable':
      return {
        id,
        status: 'fail',
        message: `the sandbox does not work: ${probeResult.reasons.join('; ')}`,
        fix: probeResult.hint,
      };
  }
}

const report = 'report this at once, and run no tools here until the cause is known';

/** Each check tries from inside the sandbox what must fail. */
export async function checkContainment(
  sandbox: Sandbox,
  script: Interpreter | undefined,
  listener: Listener,
): Promise<readonly Check[]> {
  return [
    await checkVersion(sandbox),
    await checkFiles(sandbox),
    await checkSeccomp(sandbox),
    await checkNetwork(sandbox, script, listener),
    await checkProcesses(sandbox),
    await checkMemory(sandbox),
  ].flatMap((it) => it ?? []);
}

/** Runs inside the sandbox, where bubblewrap has the same path. */
async function checkVersion(sandbox: Sandbox): Promise<Check | undefined> {
  if (sandbox.name !== 'bubblewrap') return undefined;
  const { exit, stdout } = await runInSandbox(sandbox, { argv: ['/bin/sh', '-c', 'exec bwrap --version'] });
  const id = 'sandbox.version';
  if (exit.code !== 0) return { id, status: 'warn', message: 'bubblewrap does not report its version' };
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? [];
  if (major > 0 || minor >= 8) return { id, status: 'ok', message: stdout };
  const fix = 'sudo apt-get install --only-upgrade bubblewrap';
  return { id, status: 'warn', message: `${stdout} is older than 0.8.0, the oldest tested version`, fix };
}

async function checkFiles(sandbox: Sandbox): Promise<Check> {
  const id = 'sandbox.files';
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-doctor-'));
  try {
    // World-readable, so that only the sandbox can be the reason if it cannot be read.
    chmodSync(folder, 0o755);
    const canary = join(folder, 'canary');
    writeFileSync(canary, 'seen\n', { mode: 0o644 });
    const { stdout } = await runInSandbox(sandbox, {
      argv: ['/bin/sh', '-c', 'cat "$1"; echo ran', 'sh', canary],
    });
    if (stdout === 'ran')
      return { id, status: 'ok', message: 'files of this machine cannot be read from the sandbox' };
    const message = stdout.includes('seen')
      ? 'files of this machine can be read from the sandbox'
      : 'no command runs in the sandbox';
    return { id, status: 'fail', message, fix: report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkSeccomp(sandbox: Sandbox): Promise<Check> {
  const id = 'sandbox.seccomp';
  const { stdout } = await runInSandbox(sandbox, {
    argv: ['/bin/sh', '-c', 'grep ^Seccomp: /proc/self/status'],
  });
  if (/^Seccomp:\s*2$/m.test(stdout)) return { id, status: 'ok', message: 'system calls are filtered' };
  return { id, status: 'fail', message: 'system calls are not filtered', fix: report };
}

/** Scripts that try to connect directly, without the proxy, and print the result. */
const connectScripts = {
  python: `import socket,sys
try: socket.create_connection(("127.0.0.1",int(sys.argv[1])),3); print("connected")
except OSError: print("refused")`,
  node: `const say=(text)=>process.stdout.write(text);
const socket=require("node:net").connect(Number(process.argv[1]),"127.0.0.1");
socket.on("connect",()=>{say("connected");socket.destroy()}).on("error",()=>say("refused"))`,
};

async function checkNetwork(
  sandbox: Sandbox,
  script: Interpreter | undefined,
  listener: Listener,
): Promise<Check | undefined> {
  if (script === undefined) return undefined;
  const id = 'sandbox.network';
  const before = listener.connections();
  const command = {
    argv: scriptArgv(script, connectScripts, [String(listener.port)]),
    mounts: script.mounts,
  };
  const { stdout, stderr } = await runInSandbox(sandbox, command);
  if (listener.connections() > before || stdout === 'connected')
    return {
      id,
      status: 'fail',
      message: 'a server of this machine can be reached from the sandbox',
      fix: report,
    };
  if (stdout === 'refused')
    return { id, status: 'ok', message: 'a server of this machine cannot be reached from the sandbox' };
  return {
    id,
    status: 'fail',
    message: `the network check did not run: ${lastLine(stderr)}`,
    fix: report,
  };
}

async function checkProcesses(sandbox: Sandbox): Promise<Check> {
  const id = 'sandbox.processes';
  const loop = 'i=0; while [ $i -lt 120 ]; do sleep 20 & i=$((i+1)); done; echo all';
  const { stdout } = await runInSandbox(sandbox, {
    argv: ['/bin/sh', '-c', loop],
    limits: { processes: 24 },
  });
  if (!stdout.includes('all')) return { id, status: 'ok', message: 'the number of processes is limited' };
  return { id, status: 'fail', message: 'a tool can start any number of processes', fix: report };
}

/** Uses 256 MB for a few seconds where 64 MiB are allowed. Nothing stays behind. */
async function checkMemory(sandbox: Sandbox): Promise<Check> {
  const id = 'sandbox.memory';
  const hold = 'head -c 256000000 /dev/zero | tail -c 256000000 | { sleep 4; echo survived; }';
  const { exit, stdout } = await runInSandbox(sandbox, {
    argv: ['/bin/sh', '-c', hold],
    limits: { memoryBytes: 64 * 1024 * 1024 },
  });
  if (exit.exceeded === 'memory')
    return { id, status: 'ok', message: 'the total memory of all processes is limited' };
  const message = stdout.includes('survived')
    ? 'a tool can use more memory than its limit'
    : 'the memory limit could not be verified';
  return {
    id,
    status: 'warn',
    message,
    fix: 'systemd-run --user --scope -p Delegate=yes -p MemoryMax=4G toolwharf serve',
  };
}

/** The argv for code in Python or Node, depending on the interpreter. */
export function scriptArgv(
  script: Interpreter,
  code: { readonly python: string; readonly node: string },
  args: readonly string[],
): string[] {
  return isPython(script)
    ? [script.path, '-I', '-c', code.python, ...args]
    : [script.path, '-e', code.node, '--', ...args];
}

function isPython(script: Interpreter): boolean {
  return /python[^/]*$/.test(script.path);
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'no output';
}
