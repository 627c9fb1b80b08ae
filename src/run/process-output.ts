import type { CancelSignal } from '../model/cancel-signal.js';
import { callCanceled, HostError } from '../model/host-error.js';
import type { ProcessExit, SandboxProcess } from '../sandbox/sandbox.js';
import { exitMarkerBytes, readExitMarker } from './worker/python-script.js';

export interface ProcessOutput {
  readonly exit: ProcessExit;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface CollectOptions {
  /** For messages. */
  readonly name: string;
  readonly stdin: string;
  readonly outputBytes: number;
  readonly timeoutMs: number;
  /** The timeout of the whole call, for messages. Default: `timeoutMs`. */
  readonly callTimeoutMs?: number | undefined;
  readonly signal: CancelSignal;
  /** The process itself reports its exit code at the end of its output; see worker/python-script.ts. */
  readonly reportsExit: boolean;
  /** Called with each part of standard output as it arrives. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

const stderrBytes = 256 * 1024;

/** Writes the input of a process and reads its output until it exits, or kills it at a timeout, limit or cancellation. */
export async function collectOutput(
  process: SandboxProcess,
  options: CollectOptions,
): Promise<ProcessOutput> {
  let failure: HostError | undefined;
  const stop = (error: HostError) => {
    failure ??= error;
    process.kill();
  };
  const timer = setTimeout(() => {
    stop(
      new HostError(
        'timeout',
        `${options.name} was stopped after ${(options.callTimeoutMs ?? options.timeoutMs) / 1000} s`,
        {
          hint: 'allow more time with --timeout',
        },
      ),
    );
  }, options.timeoutMs);
  const cancel = () => stop(callCanceled());
  if (options.signal.aborted) cancel();
  options.signal.addEventListener('abort', cancel, { once: true });

  let reportDone: () => void = () => {};
  const done = new Promise<ProcessExit>((resolve) => {
    reportDone = () => resolve({ code: 0, signal: null });
  });
  const stdout: Buffer[] = [];
  let size = 0;
  // The exit marker is not output of the tool, so it does not count.
  const maxBytes = options.outputBytes + (options.reportsExit ? exitMarkerBytes : 0);
  process.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) return stop(tooLarge(options));
    stdout.push(chunk);
    options.onOutput?.(chunk);
    // Error output written before may still be in the other stream: wait one more turn of the event loop.
    if (options.reportsExit && readExitMarker(lastBytes(stdout)) !== undefined) setImmediate(reportDone);
  });
  const stderr: Buffer[] = [];
  let stderrSize = 0;
  process.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk);
    stderrSize += chunk.length;
    while (stderrSize - (stderr[0] as Buffer).length > stderrBytes)
      stderrSize -= (stderr.shift() as Buffer).length;
  });
  process.stdin.end(options.stdin);

  try {
    const exit = await Promise.race([process.exited, done]);
    if (failure !== undefined) throw failure;
    const errorText = Buffer.concat(stderr).toString('utf8').slice(-stderrBytes);
    const all = Buffer.concat(stdout);
    const marked = options.reportsExit ? readExitMarker(all) : undefined;
    if ((marked?.output ?? all).length > options.outputBytes) throw tooLarge(options);
    if (marked === undefined) return { exit, stdout: all, stderr: errorText };
    return { exit: { code: marked.code, signal: null }, stdout: marked.output, stderr: errorText };
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

/** The last chunks, enough to contain a whole exit marker. */
function lastBytes(chunks: readonly Buffer[]): Buffer {
  let at = chunks.length;
  let bytes = 0;
  while (at > 0 && bytes < exitMarkerBytes) bytes += (chunks[--at] as Buffer).length;
  return at === chunks.length - 1 ? (chunks[at] as Buffer) : Buffer.concat(chunks.slice(at));
}
