import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { killGroup } from '../group.js';

/** What an operator says about the container engine; nothing of it is for a package or a project to say. */
export interface EngineSettings {
  /** `podman`, `docker`, or the path of one that understands the same words. */
  readonly engine?: string | undefined;
  /** OCI runtime: a path for podman, a name that its service knows for docker. */
  readonly runtime?: string | undefined;
}

/** An engine as it is started. */
export interface Engine {
  readonly path: string;
  readonly flavour: 'podman' | 'docker';
  readonly version: string;
  readonly runtime: string | null;
}

export interface EngineOutcome {
  /** Null when it was ended: its time was up, or somebody canceled. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface EngineRun {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly stdin?: Uint8Array | undefined;
}

export const noEngine = 'there is no container engine on this machine';
export const noEngineHint =
  'install one: sudo apt-get install podman runc; or name one with container.engine in your configuration';

const names = ['podman', 'docker'];
const folders = ['/usr/bin', '/usr/local/bin'];
const maxText = 4 * 1024 * 1024;

/** Where the engine is; undefined when there is none. */
export function findEngine({ engine }: EngineSettings): string | undefined {
  if (engine !== undefined && isAbsolute(engine)) return existsSync(engine) ? engine : undefined;
  const wanted = engine === undefined ? names : [engine];
  const places = wanted.flatMap((name) => folders.map((folder) => `${folder}/${name}`));
  return places.find((it) => existsSync(it));
}

/** Global words of the engine, before its command. */
export function engineArgs({ flavour, runtime }: Engine): string[] {
  return flavour === 'podman' && runtime !== null ? ['--runtime', runtime] : [];
}

/** Ends a container at once, where there is one, and leaves nothing of it. Names come after these words. */
export function removalArgs(engine: Engine): string[] {
  const now = engine.flavour === 'podman' ? ['--time', '0', '--ignore'] : [];
  return [...engineArgs(engine), 'rm', '--force', ...now];
}

/**
 * The variables that an engine is started with: enough to find its own settings, and nothing else of the host's. What a
 * package sets comes beside them and is never one of these.
 */
export function engineEnvironment(): Record<string, string> {
  const runtime = `/run/user/${process.getuid?.() ?? -1}`;
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: homeFolder(),
    ...(existsSync(runtime) ? { XDG_RUNTIME_DIR: runtime } : {}),
  };
}

/** Users without an entry in the system's list exist. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** Runs the engine once to its end, with everything that it starts in reach of one signal. */
export function runEngine(
  path: string,
  words: readonly string[],
  { timeoutMs, signal, stdin }: EngineRun,
): Promise<EngineOutcome> {
  return new Promise((resolve) => {
    const child = spawn(path, words, { cwd: '/', env: engineEnvironment(), stdio: 'pipe', detached: true });
    let ended = false;
    const end = () => {
      ended = true;
      killGroup(child.pid);
    };
    const timer = setTimeout(end, timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted === true) end();
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (chunk: string) => {
        if (texts[name].length < maxText) texts[name] += chunk;
      });
    }
    const settle = (outcome: EngineOutcome) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve(outcome);
    };
    child.once('error', (error) => settle({ code: null, stdout: '', stderr: error.message }));
    child.once('close', (code) => settle({ code: ended ? null : code, ...texts }));
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}

/** The last thing an engine complained about, in one line. */
export function complaintOf({ code, stderr }: EngineOutcome): string {
  const line = stderr.trim().split('\n').at(-1)?.trim() ?? '';
  if (line !== '') return line.replace(/^Error:\s*/, '').slice(0, 500);
  return code === null ? 'it did not answer in time' : `it ended with exit code ${code}`;
}
