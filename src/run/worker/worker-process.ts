import type { CallingConvention } from '../../model/action.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { callCanceled, HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { answerLimits, excessText, type JsonExcess, JsonMeter } from '../../model/json-bounds.js';
import { inexactNumber, inexactText } from '../../model/json-number.js';
import type { DeniedHost } from '../../net/egress.js';
import type { ProcessExit } from '../../sandbox/sandbox.js';
import type { PooledProcess } from '../process-pool.js';
import { parseMessageText } from '../rpc/message-text.js';
import type { SandboxedProcess } from '../sandboxed-process.js';

/** A request to the worker. It is sent on a stream and never visible in the process arguments. */
export interface WorkerRequest {
  readonly export: string;
  readonly convention: CallingConvention;
  /** Exports that the process calls before its first call, if they exist. */
  readonly startWith: readonly string[];
  readonly tool: string;
  readonly input: JsonObject;
  readonly config: JsonObject;
  readonly dataDir: string | null;
  /** For a tool that is declared idempotent; null for others. */
  readonly idempotencyKey: string | null;
}

export interface WorkerLimits {
  /** For messages. */
  readonly name: string;
  /** From the moment the call got the process, including its start. */
  readonly timeoutMs: number;
  /** The timeout of the whole call, for messages. Default: `timeoutMs`. */
  readonly callTimeoutMs?: number | undefined;
  readonly signal: CancelSignal;
  readonly outputBytes: number;
  readonly onNetworkUsed?: ((hosts: readonly string[]) => void) | undefined;
}

/** The outcome of a call as the worker reported it. */
export interface WorkerOutcome {
  readonly end:
    | { readonly kind: 'answer'; readonly message: JsonObject }
    /** The code could not be loaded. */
    | { readonly kind: 'failed'; readonly message: JsonObject }
    /** The process exited; `uncaught` is the error that caused it. */
    | { readonly kind: 'ended'; readonly exit: ProcessExit; readonly uncaught: string | undefined };
  readonly log: string;
  readonly deniedHosts: readonly DeniedHost[];
}

/** How long a worker process can be used. */
export interface WorkerLife {
  /** CPU time limit for the whole life of the process. */
  readonly cpuSeconds: number;
  /** Whether it must not get another call. */
  readonly isOutdated: () => boolean;
}

interface Pending {
  readonly id: number;
  readonly limits: WorkerLimits;
  readonly settle: (end: WorkerOutcome['end'] | HostError) => void;
}

const logBytes = 64 * 1024;
/** Maximum size of an answer line without its value. */
const envelopeBytes = 64 * 1024;

/**
 * The host's side of a worker process: one call at a time, with network access only during a call.
 *
 * The log of a call is everything that the process printed between request and answer. That includes output of
 * background work that an earlier call started.
 */
export class WorkerProcess implements PooledProcess {
  readonly exited: Promise<unknown>;
  readonly #cpuSeconds: number;
  readonly #isOutdated: () => boolean;
  readonly #unsent: string[] = [];
  #sandboxed: SandboxedProcess | undefined;
  #started = false;
  #retired = false;
  #count = 0;
  #pending: Pending | undefined;
  #uncaught: string | undefined;
  #failed: JsonObject | undefined;
  #line: Buffer[] = [];
  #lineBytes = 0;
  /** Measures a line that arrives in pieces. */
  #meter: JsonMeter | undefined;
  #log: Buffer[] = [];
  #logged = 0;

  constructor(starting: Promise<SandboxedProcess>, { cpuSeconds, isOutdated }: WorkerLife) {
    this.#cpuSeconds = cpuSeconds;
    this.#isOutdated = isOutdated;
    this.exited = starting
      .then((sandboxed) => this.#attach(sandboxed))
      .then(
        (exit) => this.#settle(this.#endOf(exit)),
        (error) => this.#settle(asFailure(error)),
      )
      .finally(() => {
        this.#retired = true;
      });
  }

  get started(): boolean {
    return this.#started;
  }

  get retired(): boolean {
    return this.#retired || this.#isOutdated();
  }

  kill(): void {
    this.#retired = true;
    this.#sandboxed?.process.kill();
    // The call fails at once, even if the process exits a moment later.
    this.#settle(new HostError('canceled', 'the host stopped the process of this call'));
  }

  /** Rejects if the call was canceled or timed out, or if its answer is not valid. */
  call(request: WorkerRequest, limits: WorkerLimits): Promise<WorkerOutcome> {
    if (this.#pending !== undefined) throw new Error('a worker serves one call at a time');
    return new Promise((resolve, reject) => {
      const stop = (error: HostError) => {
        this.#settle(error);
        this.kill();
      };
      const timer = setTimeout(() => stop(timedOut(limits)), limits.timeoutMs);
      const cancel = () => stop(callCanceled());
      const id = ++this.#count;
      this.#pending = {
        id,
        limits,
        settle: (end) => {
          clearTimeout(timer);
          limits.signal.removeEventListener('abort', cancel);
          const contacted = this.#sandboxed?.egress?.takeContacted();
          if (contacted !== undefined) limits.onNetworkUsed?.(contacted);
          if (end instanceof HostError) reject(end);
          else
            resolve({ end, log: this.#takeLog(), deniedHosts: this.#sandboxed?.egress?.takeDenied() ?? [] });
          this.#sandboxed?.egress?.deactivate();
        },
      };
      if (limits.signal.aborted) return cancel();
      limits.signal.addEventListener('abort', cancel, { once: true });
      // Output printed during the start belongs to the first call.
      if (id > 1) this.#takeLog();
      this.#sandboxed?.egress?.activate();
      this.#write(`${JSON.stringify({ ...request, id, limit: limits.outputBytes })}\n`);
    });
  }

  #attach(sandboxed: SandboxedProcess): Promise<ProcessExit> {
    const { process, egress } = sandboxed;
    this.#sandboxed = sandboxed;
    process.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    process.stderr.on('data', (chunk: Buffer) => this.#print(chunk));
    for (const stream of [process.stdin, process.stdout, process.stderr])
      stream.on('error', () => process.kill());
    if (this.#retired) process.kill();
    if (this.#pending !== undefined) egress?.activate();
    for (const text of this.#unsent.splice(0)) this.#write(text);
    return process.exited;
  }

  #write(text: string): void {
    if (this.#sandboxed === undefined) this.#unsent.push(text);
    else this.#sandboxed.process.stdin.write(text);
  }

  #settle(end: WorkerOutcome['end'] | HostError): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.settle(end);
  }

  #print(chunk: Buffer): void {
    this.#log.push(chunk);
    this.#logged += chunk.length;
    if (this.#logged < 2 * logBytes) return;
    const kept = Buffer.concat(this.#log).subarray(-logBytes);
    this.#log = [Buffer.from(kept)];
    this.#logged = kept.length;
  }

  #takeLog(): string {
    if (this.#logged === 0) return '';
    const text = Buffer.concat(this.#log).subarray(-logBytes).toString('utf8').trimEnd();
    this.#log = [];
    this.#logged = 0;
    return text;
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      const end = chunk.subarray(from, at);
      from = at + 1;
      const line = this.#line.length === 0 ? end : Buffer.concat([...this.#line, end]);
      this.#line = [];
      this.#lineBytes = 0;
      this.#meter = undefined;
      if (!this.#retired) this.#receive(line.toString('utf8'));
    }
    if (from === chunk.length || this.#retired) return;
    this.#line.push(chunk.subarray(from));
    this.#lineBytes += chunk.length - from;
    const maxBytes = (this.#pending?.limits.outputBytes ?? 0) + envelopeBytes;
    if (this.#lineBytes > maxBytes)
      this.#protocolError('wrote more to the answer channel than an answer may contain');
    this.#meter ??= new JsonMeter(answerLimits);
    const excess = this.#retired ? undefined : this.#meter.add(chunk.subarray(from));
    if (excess !== undefined) this.#tooComplex(excess);
  }

  #receive(line: string): void {
    const { value: message, excess } = parseMessageText(line);
    if (excess !== undefined) {
      this.#tooComplex(excess);
      return;
    }
    // Without a pending request, or after a failure was reported, further messages are a protocol error.
    const unasked = this.#pending === undefined && this.#started;
    const again = this.#uncaught !== undefined || this.#failed !== undefined;
    if (!isObject(message) || unasked || (again && message.id === undefined)) {
      this.#protocolError('wrote an unexpected message to the answer channel');
    } else if (message.ready === true && !this.#started) {
      this.#started = true;
    } else if (typeof message.failed === 'string') {
      // It exits now, and may print more before.
      this.#failed = message;
    } else if (typeof message.uncaught === 'string') {
      const what = message.rejection === true ? 'unhandled promise rejection' : 'uncaught error';
      this.#uncaught = `${what}: ${message.uncaught}`;
    } else if (this.#pending !== undefined && message.id === this.#pending.id) {
      const inexact = inexactNumber(line);
      if (inexact !== undefined) {
        this.#settle(
          new HostError(
            'tool_bad_output',
            `the answer of ${this.#pending.limits.name} ${inexactText(inexact)}`,
            { hint: 'the tool can return it as text' },
          ),
        );
        return;
      }
      // Retire it early, so that the limit for its whole life does not hit a later call.
      if (Number(message.cpu) > this.#cpuSeconds / 2) this.#retired = true;
      this.#answer({ kind: 'answer', message });
    } else {
      this.#protocolError('answered a request that was not sent');
    }
  }

  #endOf(exit: ProcessExit): WorkerOutcome['end'] {
    if (this.#failed !== undefined) return { kind: 'failed', message: this.#failed };
    return { kind: 'ended', exit, uncaught: this.#uncaught };
  }

  /** The log was written before the answer, but on another stream: wait one more turn of the event loop. */
  #answer(end: WorkerOutcome['end']): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) setImmediate(() => pending.settle(end));
  }

  #tooComplex(excess: JsonExcess): void {
    this.#line = [];
    this.#protocolError(`answered with a result that ${excessText(excess)}`);
  }

  #protocolError(what: string): void {
    const name = this.#pending?.limits.name ?? 'it';
    this.#settle(new HostError('tool_bad_output', `${name} ${what}`));
    this.kill();
  }
}

function timedOut({ name, timeoutMs, callTimeoutMs = timeoutMs }: WorkerLimits): HostError {
  return new HostError('timeout', `${name} was stopped after ${callTimeoutMs / 1000} s`, {
    hint: 'allow more time with --timeout',
  });
}

function asFailure(error: unknown): HostError {
  if (error instanceof HostError) return error;
  return new HostError('internal', 'the process could not be started', { cause: error });
}
