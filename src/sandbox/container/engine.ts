import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { killGroup } from '../process/process-group.js';
import type { ProcessGroupWatchdog } from '../process/process-group-watchdog.js';

/** The operator's settings for the container engine. Packages and projects cannot set them. */
export interface EngineSettings {
  /** `podman`, `docker`, or the path of a compatible engine. */
  readonly engine?: string | undefined;
  /** OCI runtime: a path for podman, a name configured in its service for docker. */
  readonly runtime?: string | undefined;
}

/** A container engine and how to start it. */
export interface ContainerEngine {
  readonly path: string;
  readonly kind: 'podman' | 'docker';
  readonly version: string;
  readonly runtime: string | null;
}

export interface EngineOutcome {
  /** Null if it was killed (timeout or cancellation) or could not start. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface EngineRun {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly stdin?: Uint8Array | undefined;
  /** Ends the engine if this process is killed. For work that takes long. */
  readonly watchdog?: ProcessGroupWatchdog | undefined;
}

export const noEngine = 'no container engine is installed on this machine';
export const noEngineHint =
  'install one: sudo apt-get install podman runc; or set container.engine in your configuration';

const names = ['podman', 'docker'];
const folders = ['/usr/bin', '/usr/local/bin'];
const maxText = 4 * 1024 * 1024;

/** Path of the engine; undefined if it is not installed. */
export function findEngine({ engine }: EngineSettings): string | undefined {
  if (engine !== undefined && isAbsolute(engine)) return existsSync(engine) ? engine : undefined;
  const candidates = engine === undefined ? names : [engine];
  const paths = candidates.flatMap((name) => folders.map((folder) => `${folder}/${name}`));
  return paths.find((it) => existsSync(it));
}

/** Global options of the engine, before its subcommand. */
export function engineArgs({ kind, runtime }: ContainerEngine): string[] {
  return kind === 'podman' && runtime !== null ? ['--runtime', runtime] : [];
}

/** Arguments that kill and remove a container if it exists. The container's name comes after them. */
export function removalArgs(engine: ContainerEngine): string[] {
  const immediately = engine.kind === 'podman' ? ['--time', '0', '--ignore'] : [];
  return [...engineArgs(engine), 'rm', '--force', ...immediately];
}

/**
 * The environment of the engine: enough to find its own settings, and nothing else of the host. Variables of a package
 * are added to it and never replace one of these.
 */
export function engineEnvironment(): Record<string, string> {
  const runtime = `/run/user/${process.getuid?.() ?? -1}`;
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: homeFolder(),
    ...(existsSync(runtime) ? { XDG_RUNTIME_DIR: runtime } : {}),
  };
}

/** `homedir` throws for a user without an entry in /etc/passwd. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** Runs the engine once, in its own process group, so that one signal kills everything it starts. */
export function runEngine(
  path: string,
  args: readonly string[],
  { timeoutMs, signal, stdin, watchdog }: EngineRun,
): Promise<EngineOutcome> {
  return new Promise((resolve) => {
    const child = spawn(path, args, { cwd: '/', env: engineEnvironment(), stdio: 'pipe', detached: true });
    if (child.pid !== undefined) watchdog?.add(child.pid);
    let wasKilled = false;
    const kill = () => {
      wasKilled = true;
      killGroup(child.pid);
    };
    const timer = setTimeout(kill, timeoutMs);
    signal?.addEventListener('abort', kill, { once: true });
    if (signal?.aborted === true) kill();
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (chunk: string) => {
        if (texts[name].length < maxText) texts[name] += chunk;
      });
    }
    const settle = (outcome: EngineOutcome) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      if (child.pid !== undefined) watchdog?.remove(child.pid);
      resolve(outcome);
    };
    child.once('error', (error) => settle({ code: null, stdout: '', stderr: error.message }));
    child.once('close', (code) => settle({ code: wasKilled ? null : code, ...texts }));
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}

/** The last line of the engine's error output. */
export function engineErrorText({ code, stderr }: EngineOutcome): string {
  const line = stderr.trim().split('\n').at(-1)?.trim() ?? '';
  if (line !== '') return line.replace(/^Error:\s*/, '').slice(0, 500);
  return code === null ? 'it did not answer in time' : `it exited with code ${code}`;
}
