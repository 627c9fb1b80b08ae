import { chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { Limits, Mount, Sandbox } from '../sandbox/sandbox.js';
import type { OpenEgress, Way } from './source.js';
import { policyFor } from './source.js';
import { makeFolder, measure, removeTree } from './tree.js';

/** Installers work more than tools do, and their bounds are theirs alone. */
const limits: Limits = {
  cpuSeconds: 600,
  processes: 128,
  openFiles: 1024,
  memoryBytes: 2 * 1024 ** 3,
  diskBytes: 1024 ** 3,
};
const wallMs = 10 * 60 * 1000;
const mostBytes = 2 * 1024 ** 3;
const mostEntries = 150_000;
const measureMs = 1000;
const keptBytes = 4 * 1024 * 1024;

/** One run of an installer, confined to the folders it is given. */
export interface Step {
  /** For messages: what is being done. */
  readonly name: string;
  readonly mounts: readonly Mount[];
  /** Given the places of mounts inside. */
  readonly argv: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly boundAddressSpace: boolean;
  readonly way: Way;
}

export interface StepResult {
  readonly ok: boolean;
  readonly code: number | null;
  /** The last part of each, at most. */
  readonly stdout: string;
  readonly stderr: string;
  /** Where the installer wanted to go and was not let. */
  readonly refused: readonly string[];
}

/** A private folder in which one environment is being made. */
export interface Workshop {
  /** A folder that the confined installer can write to. */
  bench(name: string): Promise<string>;
  /** A folder that only the host can write to and the installer can read. */
  shelf(name: string): Promise<string>;
  run(step: Step): Promise<StepResult>;
  close(): Promise<void>;
}

/** Names of workshops in use by this process, whichever store opened them. */
const underway = new Set<string>();

export async function openWorkshop(
  options: {
    readonly folder: string;
    readonly name: string;
    readonly sandbox: Sandbox;
    readonly openEgress: OpenEgress;
    readonly newSocket?: () => string;
  },
  signal: AbortSignal,
): Promise<Workshop> {
  const { sandbox } = options;
  const folder = join(options.folder, `${process.pid}.${options.name}`);
  underway.add(folder);
  // Passable and not listable: the sandbox user goes through to the folders it is lent.
  await makeFolder(folder, 0o711);
  let runs = 0;

  return {
    async bench(name) {
      const path = join(folder, name);
      await makeFolder(path, 0o755);
      if (process.getuid?.() === 0) await chown(path, sandbox.user.uid, sandbox.user.gid);
      return path;
    },
    async shelf(name) {
      const path = join(folder, name);
      await makeFolder(path, 0o755);
      return path;
    },
    async run(step) {
      runs += 1;
      if (step.way.kind === 'none') return { ...(await confined(step, sandbox, null, signal)), refused: [] };
      const socket = options.newSocket?.() ?? join(folder, `${runs}.sock`);
      const egress = await options.openEgress({ socket, policy: policyFor(step.way), armed: true });
      try {
        const result = await confined(step, sandbox, egress.socket, signal);
        return {
          ...result,
          refused: [...new Set(egress.takeRefusals().map((it) => `${it.host}:${it.port}`))],
        };
      } finally {
        await egress.close();
      }
    },
    async close() {
      await removeTree(folder);
      underway.delete(folder);
    },
  };
}

/** Removes what hosts left behind that were ended in the middle. Those that still live are left alone. */
export async function sweepWorkshops(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const pid = Number(/^(\d+)\./.exec(name)?.[1] ?? 0);
    if (pid === process.pid ? underway.has(path) : pid > 0 && isAlive(pid)) continue;
    await removeTree(path);
  }
}

async function confined(
  step: Step,
  sandbox: Sandbox,
  egress: string | null,
  signal: AbortSignal,
): Promise<Omit<StepResult, 'refused'>> {
  if (signal.aborted) throw canceled(step);
  const child = sandbox.spawn({
    argv: step.argv,
    directory: step.directory,
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8', ...step.environment },
    mounts: step.mounts,
    hidden: [],
    limits,
    boundAddressSpace: step.boundAddressSpace,
    egress,
  });
  let ended: HostError | undefined;
  const end = (error: HostError) => {
    ended ??= error;
    child.kill();
  };
  const cancel = () => end(canceled(step));
  signal.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(
    () => end(new HostError('timeout', `${step.name} was ended after ${wallMs / 60_000} minutes`)),
    wallMs,
  );
  let measuring = false;
  const watch = setInterval(async () => {
    if (measuring) return;
    measuring = true;
    const error = await tooLarge(step);
    measuring = false;
    if (error !== undefined) end(error);
  }, measureMs);
  const stdout = keepTail(child.stdout);
  const stderr = keepTail(child.stderr);
  child.stdin.end();
  try {
    const exit = await child.exited;
    const large = ended ?? (await tooLarge(step));
    if (large !== undefined) throw large;
    if (exit.exceeded !== undefined) {
      throw new HostError(
        'output_too_large',
        `${step.name} was ended: it used too much ${exit.exceeded === 'memory' ? 'memory' : 'room'}`,
      );
    }
    return { ok: exit.code === 0, code: exit.code, stdout: stdout(), stderr: stderr() };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener('abort', cancel);
  }
}

/** A folder of the host has no size of its own, so what is written into it is measured. */
async function tooLarge(step: Step): Promise<HostError | undefined> {
  for (const { source } of step.mounts.filter((it) => it.writable)) {
    const { bytes, entries } = await measure(source);
    if (bytes <= mostBytes && entries <= mostEntries) continue;
    return new HostError(
      'output_too_large',
      `${step.name} was ended: it wrote ${bytes.toLocaleString('en')} bytes in ${entries.toLocaleString('en')} files, more than an environment may have`,
    );
  }
  return undefined;
}

function keepTail(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    while (size - (chunks[0] as Buffer).length > keptBytes) size -= (chunks.shift() as Buffer).length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function canceled(step: Step): HostError {
  return new HostError('canceled', `${step.name} was canceled`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
