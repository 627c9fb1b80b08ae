import { HostError } from '../model/host-error.js';
import type { Exit, SandboxProcess } from '../sandbox/sandbox.js';

export interface Collected {
  readonly exit: Exit;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface CollectOptions {
  /** For messages. */
  readonly name: string;
  readonly stdin: string;
  readonly outputBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const stderrBytes = 256 * 1024;

/** Feeds a process, reads it to its end and makes sure that it ends: by itself, in time, within bounds. */
export async function collect(process: SandboxProcess, options: CollectOptions): Promise<Collected> {
  let ended: HostError | undefined;
  const end = (error: HostError) => {
    ended ??= error;
    process.kill();
  };
  const timer = setTimeout(() => {
    end(
      new HostError('timeout', `${options.name} was ended after ${options.timeoutMs / 1000} s`, {
        hint: 'give it more time with --timeout',
      }),
    );
  }, options.timeoutMs);
  const cancel = () => end(new HostError('cancelled', 'the call was cancelled'));
  if (options.signal.aborted) cancel();
  options.signal.addEventListener('abort', cancel, { once: true });

  const stdout: Buffer[] = [];
  let size = 0;
  process.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= options.outputBytes) stdout.push(chunk);
    else
      end(
        new HostError(
          'output_too_large',
          `${options.name} printed more than ${options.outputBytes.toLocaleString('en')} bytes`,
        ),
      );
  });
  const stderr: Buffer[] = [];
  let complained = 0;
  process.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk);
    complained += chunk.length;
    while (complained - (stderr[0] as Buffer).length > stderrBytes)
      complained -= (stderr.shift() as Buffer).length;
  });
  process.stdin.end(options.stdin);

  try {
    const exit = await process.exited;
    if (ended !== undefined) throw ended;
    const complaint = Buffer.concat(stderr).toString('utf8').slice(-stderrBytes);
    return { exit, stdout: Buffer.concat(stdout), stderr: complaint };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', cancel);
  }
}
