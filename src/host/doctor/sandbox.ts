import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Interpreter } from '../../sandbox/interpreter.js';
import type { Sandbox, Verdict } from '../../sandbox/sandbox.js';
import type { Check } from '../host.js';
import { tryInside } from './inside.js';

/** A server of the caller's own on 127.0.0.1 that counts who comes. It answers any request with its greeting. */
export interface Listener {
  readonly port: number;
  readonly greeting: string;
  connections(): number;
}

export function checkVerdict(name: string, verdict: Verdict): Check {
  const id = 'sandbox';
  switch (verdict.level) {
    case 'enforced':
      return { id, status: 'ok', message: `${name} confines files, network, environment and processes` };
    case 'degraded':
      return {
        id,
        status: 'warn',
        message: `${name} confines less than it should: ${verdict.reasons.join('; ')}`,
      };
    case 'unavailable':
      return {
        id,
        status: 'fail',
        message: `the sandbox does not hold: ${verdict.reasons.join('; ')}`,
        fix: verdict.hint,
      };
  }
}

const report = 'report this at once: tools must not be run here until it is understood';

/** Each tries from inside what must fail. Together they say what the verdict rests on. */
export async function checkHold(
  sandbox: Sandbox,
  script: Interpreter | undefined,
  listener: Listener,
): Promise<readonly Check[]> {
  return [
    await checkVersion(sandbox),
    await checkFiles(sandbox),
    await checkFilter(sandbox),
    await checkNetwork(sandbox, script, listener),
    await checkProcesses(sandbox),
    await checkMemory(sandbox),
  ].flatMap((it) => it ?? []);
}

/** Asked inside, where the program lies at its own path too. */
async function checkVersion(sandbox: Sandbox): Promise<Check | undefined> {
  if (sandbox.name !== 'bubblewrap') return undefined;
  const { exit, stdout } = await tryInside(sandbox, { argv: ['/bin/sh', '-c', 'exec bwrap --version'] });
  const id = 'sandbox.version';
  if (exit.code !== 0) return { id, status: 'warn', message: 'bubblewrap does not tell its version' };
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? [];
  if (major > 0 || minor >= 8) return { id, status: 'ok', message: stdout };
  const fix = 'sudo apt-get install --only-upgrade bubblewrap';
  return { id, status: 'warn', message: `${stdout} is older than 0.8.0, which was tried`, fix };
}

async function checkFiles(sandbox: Sandbox): Promise<Check> {
  const id = 'sandbox.files';
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-doctor-'));
  try {
    // Everybody outside may read it, so that not reading it inside means something.
    chmodSync(folder, 0o755);
    const canary = join(folder, 'canary');
    writeFileSync(canary, 'seen\n', { mode: 0o644 });
    const { stdout } = await tryInside(sandbox, {
      argv: ['/bin/sh', '-c', 'cat "$1"; echo ran', 'sh', canary],
    });
    if (stdout === 'ran')
      return { id, status: 'ok', message: 'a file of this machine cannot be read inside' };
    const message = stdout.includes('seen')
      ? 'a file of this machine can be read inside'
      : 'nothing runs inside';
    return { id, status: 'fail', message, fix: report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkFilter(sandbox: Sandbox): Promise<Check> {
  const id = 'sandbox.seccomp';
  const { stdout } = await tryInside(sandbox, {
    argv: ['/bin/sh', '-c', 'grep ^Seccomp: /proc/self/status'],
  });
  if (/^Seccomp:\s*2$/m.test(stdout)) return { id, status: 'ok', message: 'system calls are filtered' };
  return { id, status: 'fail', message: 'system calls are not filtered', fix: report };
}

/** Programs that try to connect and say what came of it, without a proxy. */
const connects = {
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
  const trial = { argv: runs(script, connects, [String(listener.port)]), mounts: script.mounts };
  const { stdout, stderr } = await tryInside(sandbox, trial);
  if (listener.connections() > before || stdout === 'connected')
    return {
      id,
      status: 'fail',
      message: 'a server of this machine can be reached from inside',
      fix: report,
    };
  if (stdout === 'refused')
    return { id, status: 'ok', message: 'a server of this machine cannot be reached from inside' };
  return {
    id,
    status: 'fail',
    message: `the check of the network did not run: ${lastLine(stderr)}`,
    fix: report,
  };
}

async function checkProcesses(sandbox: Sandbox): Promise<Check> {
  const id = 'sandbox.processes';
  const loop = 'i=0; while [ $i -lt 120 ]; do sleep 20 & i=$((i+1)); done; echo all';
  const { stdout } = await tryInside(sandbox, { argv: ['/bin/sh', '-c', loop], limits: { processes: 24 } });
  if (!stdout.includes('all')) return { id, status: 'ok', message: 'the number of processes is bounded' };
  return { id, status: 'fail', message: 'a tool can start any number of processes', fix: report };
}

/** Holds 256 MB for a while where 64 are allowed; nothing is left of it afterwards either way. */
async function checkMemory(sandbox: Sandbox): Promise<Check> {
  const id = 'sandbox.memory';
  const hold = 'head -c 256000000 /dev/zero | tail -c 256000000 | { sleep 4; echo survived; }';
  const { exit, stdout } = await tryInside(sandbox, {
    argv: ['/bin/sh', '-c', hold],
    limits: { memoryBytes: 64 * 1024 * 1024 },
  });
  if (exit.exceeded === 'memory')
    return { id, status: 'ok', message: 'the memory of all processes together is bounded' };
  const message = stdout.includes('survived')
    ? 'a tool can use more memory than its limit'
    : 'the bound on memory could not be seen';
  return {
    id,
    status: 'warn',
    message,
    fix: 'systemd-run --user --scope -p MemoryMax=4G toolwharf serve',
  };
}

/** An argument vector for code in whichever language there is. */
export function runs(
  script: Interpreter,
  code: { readonly python: string; readonly node: string },
  words: readonly string[],
): string[] {
  return isPython(script)
    ? [script.path, '-I', '-c', code.python, ...words]
    : [script.path, '-e', code.node, '--', ...words];
}

function isPython(script: Interpreter): boolean {
  return /python[^/]*$/.test(script.path);
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'it said nothing';
}
