import { HostError } from '../model/host-error.js';
import type { Signal } from '../model/signal.js';
import type { Exit, SandboxProcess } from '../sandbox/sandbox.js';
import { markBytes, readMark } from './worker/script.js';

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
  /** For messages, where it is another. */
  readonly givenMs?: number | undefined;
  readonly signal: Signal;
  /** The process says itself when it is done; see worker/script.ts. */
  readonly marked: boolean;
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
      new HostError(
        'timeout',
        `${options.name} was ended after ${(options.givenMs ?? options.timeoutMs) / 1000} s`,
        {
          hint: 'give it more time with --timeout',
        },
      ),
    );
  }, options.timeoutMs);
  const cancel = () => end(new HostError('canceled', 'the call was canceled'));
  if (options.signal.aborted) cancel();
  options.signal.addEventListener('abort', cancel, { once: true });

  let said: () => void = () => {};
  const done = new Promise<Exit>((resolve) => {
    said = () => resolve({ code: 0, signal: null });
  });
  const stdout: Buffer[] = [];
  let size = 0;
  // The mark is ours and does not count.
  const room = options.outputBytes + (options.marked ? markBytes : 0);
  process.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > room) return end(tooLarge(options));
    stdout.push(chunk);
    // What it complained about before is on its way on another stream: one more round brings it in.
    if (options.marked && readMark(lastBytes(stdout)) !== undefined) setImmediate(said);
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
    const exit = await Promise.race([process.exited, done]);
    if (ended !== undefined) throw ended;
    const complaint = Buffer.concat(stderr).toString('utf8').slice(-stderrBytes);
    const all = Buffer.concat(stdout);
    const marked = options.marked ? readMark(all) : undefined;
    if ((marked?.output ?? all).length > options.outputBytes) throw tooLarge(options);
    if (marked === undefined) return { exit, stdout: all, stderr: complaint };
    return { exit: { code: marked.code, signal: null }, stdout: marked.output, stderr: complaint };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', cancel);
  }
}

function tooLarge({ name, outputBytes }: CollectOptions): HostError {
  return new HostError(
    'output_too_large',
    `${name} printed more than ${outputBytes.toLocaleString('en')} bytes`,
  );
}

/** Enough of the end to hold a mark, however it was cut up on the way. */
function lastBytes(chunks: readonly Buffer[]): Buffer {
  let at = chunks.length;
  let bytes = 0;
  while (at > 0 && bytes < markBytes) bytes += (chunks[--at] as Buffer).length;
  return at === chunks.length - 1 ? (chunks[at] as Buffer) : Buffer.concat(chunks.slice(at));
}
