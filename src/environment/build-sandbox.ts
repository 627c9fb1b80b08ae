import { chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import { certificateMount, certificateVariables } from '../sandbox/certificate-mount.js';
import { isAlive } from '../sandbox/live-process.js';
import type { Mount, Sandbox, SandboxLimits } from '../sandbox/sandbox.js';
import { makeFolderWithMode, measureTree, removeTree } from './file-tree.js';
import type { InstallerNetwork, OpenEgress } from './installer-network.js';
import { egressPolicyFor } from './installer-network.js';

/** Installers need more resources than tools, so they have their own limits. */
const limits: SandboxLimits = {
  cpuSeconds: 600,
  processes: 128,
  openFiles: 1024,
  memoryBytes: 2 * 1024 ** 3,
  diskBytes: 1024 ** 3,
};
const timeoutMs = 10 * 60 * 1000;
const maxBytes = 2 * 1024 ** 3;
const maxEntries = 150_000;
const measureIntervalMs = 1000;
const maxOutputBytes = 4 * 1024 * 1024;

/** One run of an installer in the sandbox, with access to these mounts only. */
export interface InstallerRun {
  /** For messages: what the installer does, such as `installing npm packages`. */
  readonly name: string;
  readonly mounts: readonly Mount[];
  /** With paths as they are inside the sandbox. */
  readonly argv: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly limitAddressSpace: boolean;
  readonly network: InstallerNetwork;
}

export interface InstallerResult {
  readonly ok: boolean;
  readonly code: number | null;
  /** At most the last 4 MiB of each stream. */
  readonly stdout: string;
  readonly stderr: string;
  /** Hosts that the egress proxy denied, as `host:port`. */
  readonly deniedHosts: readonly string[];
  /** Whether one of them is on this machine or in a private network. */
  readonly deniedPrivate: boolean;
}

/** A private folder in which one environment is built, by installers in the sandbox. */
export interface BuildSandbox {
  /** A folder that the installer can write to. */
  writableFolder(name: string): Promise<string>;
  /** A folder that only the host can write to, and the installer can read. */
  readOnlyFolder(name: string): Promise<string>;
  run(run: InstallerRun): Promise<InstallerResult>;
  close(): Promise<void>;
}

/**
 * Build folders that this process uses. They belong to the process, like the number in their names: another store of the
 * same process must not remove them.
 */
const activeFolders = new Set<string>();

export async function openBuildSandbox(
  options: {
    readonly folder: string;
    readonly name: string;
    readonly sandbox: Sandbox;
    readonly openEgress: OpenEgress;
    readonly newSocket?: () => string;
    readonly certificateFolder?: (() => string | undefined) | undefined;
  },
  signal: AbortSignal,
): Promise<BuildSandbox> {
  const { sandbox } = options;
  const folder = join(options.folder, `${process.pid}.${options.name}`);
  activeFolders.add(folder);
  // Enterable but not listable: the sandbox user only needs to reach the mounted folders.
  makeFolderWithMode(folder, 0o711);
  let runs = 0;

  return {
    async writableFolder(name) {
      const path = join(folder, name);
      makeFolderWithMode(path, 0o755);
      if (process.getuid?.() === 0) await chown(path, sandbox.user.uid, sandbox.user.gid);
      return path;
    },
    async readOnlyFolder(name) {
      const path = join(folder, name);
      makeFolderWithMode(path, 0o755);
      return path;
    },
    async run(run) {
      runs += 1;
      if (run.network.kind === 'none')
        return { ...(await runInstaller(run, sandbox, null, signal)), deniedHosts: [], deniedPrivate: false };
      const socket = options.newSocket?.() ?? join(folder, `${runs}.sock`);
      const egress = await options.openEgress({
        socket,
        policy: egressPolicyFor(run.network),
        active: true,
      });
      try {
        const trusting = withCertificates(run, sandbox, options.certificateFolder?.());
        const result = await runInstaller(trusting, sandbox, egress.socket, signal);
        const denied = egress.takeDenied();
        return {
          ...result,
          deniedHosts: [...new Set(denied.map((it) => `${it.host}:${it.port}`))],
          deniedPrivate: denied.some((it) => it.hint !== undefined),
        };
      } finally {
        await egress.close();
      }
    },
    async close() {
      await removeTree(folder);
      activeFolders.delete(folder);
    },
  };
}

/** The installer verifies the servers itself, because its TLS goes through the tunnel of the egress proxy. */
function withCertificates(run: InstallerRun, sandbox: Sandbox, folder: string | undefined): InstallerRun {
  if (folder === undefined) return run;
  return {
    ...run,
    mounts: [...run.mounts, certificateMount(folder)],
    environment: { ...certificateVariables(folder, sandbox), ...run.environment },
  };
}

/** Removes builds of hosts that exited during a build. Keeps builds of running hosts. */
export async function removeAbandonedBuilds(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const pid = Number(/^(\d+)\./.exec(name)?.[1] ?? 0);
    if (pid === process.pid ? activeFolders.has(path) : pid > 0 && isAlive(pid)) continue;
    await removeTree(path);
  }
}

async function runInstaller(
  run: InstallerRun,
  sandbox: Sandbox,
  egress: string | null,
  signal: AbortSignal,
): Promise<Omit<InstallerResult, 'deniedHosts' | 'deniedPrivate'>> {
  if (signal.aborted) throw canceled(run);
  const child = sandbox.spawn({
    argv: run.argv,
    directory: run.directory,
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8', ...run.environment },
    mounts: run.mounts,
    hidden: [],
    limits,
    limitAddressSpace: run.limitAddressSpace,
    egress,
  });
  let failure: HostError | undefined;
  const stop = (error: HostError) => {
    failure ??= error;
    child.kill();
  };
  const cancel = () => stop(canceled(run));
  signal.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(
    () => stop(new HostError('timeout', `${run.name} was stopped after ${timeoutMs / 60_000} minutes`)),
    timeoutMs,
  );
  let measuring = false;
  const watch = setInterval(async () => {
    if (measuring) return;
    measuring = true;
    const error = await tooLarge(run);
    measuring = false;
    if (error !== undefined) stop(error);
  }, measureIntervalMs);
  const stdout = keepTail(child.stdout);
  const stderr = keepTail(child.stderr);
  child.stdin.end();
  try {
    const exit = await child.exited;
    const error = failure ?? (await tooLarge(run));
    if (error !== undefined) throw error;
    if (exit.exceeded !== undefined) {
      throw new HostError(
        'output_too_large',
        `${run.name} was stopped: it ${exit.exceeded === 'memory' ? 'used too much memory' : 'created too many files'}`,
      );
    }
    return { ok: exit.code === 0, code: exit.code, stdout: stdout(), stderr: stderr() };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener('abort', cancel);
  }
}

/** A mounted folder has no size limit of its own, so its size is measured. */
async function tooLarge(run: InstallerRun): Promise<HostError | undefined> {
  for (const { source } of run.mounts.filter((it) => it.writable)) {
    const { bytes, entries } = await measureTree(source);
    if (bytes <= maxBytes && entries <= maxEntries) continue;
    return new HostError(
      'output_too_large',
      `${run.name} was stopped: ${bytes.toLocaleString('en')} bytes in ${entries.toLocaleString('en')} files exceed the limit of an environment`,
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
    while (size - (chunks[0] as Buffer).length > maxOutputBytes) size -= (chunks.shift() as Buffer).length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function canceled(run: InstallerRun): HostError {
  return new HostError('canceled', `${run.name} was canceled`);
}
