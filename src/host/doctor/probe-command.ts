import {
  defaultSandboxLimits,
  type Mount,
  type ProcessExit,
  type Sandbox,
  type SandboxLimits,
} from '../../sandbox/sandbox.js';

export interface ProbeCommand {
  readonly argv: readonly string[];
  readonly mounts?: readonly Mount[];
  readonly limits?: Partial<SandboxLimits>;
  readonly egress?: string;
  readonly timeoutMs?: number;
}

export interface ProbeOutput {
  readonly exit: ProcessExit;
  readonly stdout: string;
  readonly stderr: string;
}

const outputBytes = 64 * 1024;

/** Runs a small command in the sandbox until it ends. It sees nothing of this machine except the given mounts. */
export async function runInSandbox(sandbox: Sandbox, command: ProbeCommand): Promise<ProbeOutput> {
  const child = sandbox.spawn({
    argv: command.argv,
    directory: '/tmp',
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8' },
    mounts: command.mounts ?? [],
    hidden: [],
    limits: { ...defaultSandboxLimits, ...command.limits },
    limitAddressSpace: false,
    egress: command.egress ?? null,
  });
  const timer = setTimeout(() => child.kill(), command.timeoutMs ?? 15_000);
  try {
    child.stdin.end();
    const [stdout, stderr] = await Promise.all([firstBytes(child.stdout), firstBytes(child.stderr)]);
    return { exit: await child.exited, stdout: stdout.trim(), stderr: stderr.trim() };
  } finally {
    clearTimeout(timer);
  }
}

/** The start of the output. The rest is read and dropped, so that the process does not block. */
async function firstBytes(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) if (text.length < outputBytes) text += String(chunk);
  return text.slice(0, outputBytes);
}
