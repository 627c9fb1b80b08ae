import { defaultLimits, type Exit, type Limits, type Mount, type Sandbox } from '../../sandbox/sandbox.js';

export interface Trial {
  readonly argv: readonly string[];
  readonly mounts?: readonly Mount[];
  readonly limits?: Partial<Limits>;
  readonly egress?: string;
  readonly timeoutMs?: number;
}

export interface Outcome {
  readonly exit: Exit;
  readonly stdout: string;
  readonly stderr: string;
}

const outputBytes = 64 * 1024;

/** Runs one small command in the sandbox, with nothing of this machine unless told, and waits for its end. */
export async function tryInside(sandbox: Sandbox, trial: Trial): Promise<Outcome> {
  const child = sandbox.spawn({
    argv: trial.argv,
    directory: '/tmp',
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8' },
    mounts: trial.mounts ?? [],
    hidden: [],
    limits: { ...defaultLimits, ...trial.limits },
    boundAddressSpace: false,
    egress: trial.egress ?? null,
  });
  const timer = setTimeout(() => child.kill(), trial.timeoutMs ?? 15_000);
  try {
    child.stdin.end();
    const [stdout, stderr] = await Promise.all([start(child.stdout), start(child.stderr)]);
    return { exit: await child.exited, stdout: stdout.trim(), stderr: stderr.trim() };
  } finally {
    clearTimeout(timer);
  }
}

/** What comes first; the rest is read and dropped so that nobody waits for us. */
async function start(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) if (text.length < outputBytes) text += String(chunk);
  return text.slice(0, outputBytes);
}
