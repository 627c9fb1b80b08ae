import type { CallingConvention } from '../../model/action.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { Signal } from '../../model/signal.js';
import type { Refusal } from '../../net/egress.js';
import type { Exit } from '../../sandbox/sandbox.js';
import type { PooledProcess } from '../pool.js';
import type { SandboxedProcess } from '../spawn.js';

/** What the code inside is asked. Everything travels on the stream, nothing in the command line. */
export interface WorkerRequest {
  readonly export: string;
  readonly convention: CallingConvention;
  readonly tool: string;
  readonly input: JsonObject;
  readonly config: JsonObject;
  readonly dataDir: string | null;
}

export interface WorkerLimits {
  /** For messages. */
  readonly name: string;
  /** From the moment the process was lent, its start included. */
  readonly timeoutMs: number;
  /** The whole time of the call, for messages. */
  readonly givenMs?: number | undefined;
  readonly signal: Signal;
  readonly outputBytes: number;
}

/** How a call came out, in the worker's own words. */
export interface Outcome {
  readonly end:
    | { readonly kind: 'answer'; readonly message: JsonObject }
    /** The code could not be loaded. */
    | { readonly kind: 'failed'; readonly message: JsonObject }
    /** The process is gone; `uncaught` is what it went with. */
    | { readonly kind: 'ended'; readonly exit: Exit; readonly uncaught: string | undefined };
  readonly log: string;
  readonly refusals: readonly Refusal[];
}

interface Pending {
  readonly id: number;
  readonly limits: WorkerLimits;
  readonly settle: (end: Outcome['end'] | HostError) => void;
}

const logBytes = 64 * 1024;
/** What may stand around a value, or instead of one, in a line. */
const envelopeBytes = 64 * 1024;

/**
 * The host's side of a worker: one call at a time, and a way out of the sandbox only during a call.
 *
 * The log of a call is what its process printed from the request to the answer. Something that an earlier call left
 * running and that prints in that time is in it too.
 */
export class WorkerProcess implements PooledProcess {
  readonly exited: Promise<unknown>;
  readonly #cpuSeconds: number;
  readonly #unsent: string[] = [];
  #confined: SandboxedProcess | undefined;
  #started = false;
  #spent = false;
  #count = 0;
  #pending: Pending | undefined;
  #uncaught: string | undefined;
  #failed: JsonObject | undefined;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #log: Buffer[] = [];
  #logged = 0;

  /** `cpuSeconds`: what the process may use in its whole life. */
  constructor(starting: Promise<SandboxedProcess>, cpuSeconds: number) {
    this.#cpuSeconds = cpuSeconds;
    this.exited = starting
      .then((confined) => this.#attach(confined))
      .then(
        (exit) => this.#settle(this.#endOf(exit)),
        (error) => this.#settle(asFailure(error)),
      )
      .finally(() => {
        this.#spent = true;
      });
  }

  get started(): boolean {
    return this.#started;
  }

  get spent(): boolean {
    return this.#spent;
  }

  kill(): void {
    this.#spent = true;
    this.#confined?.process.kill();
    // The end is told at once; that the process is gone may take a moment longer.
    this.#settle(new HostError('canceled', 'the host ended the process of this call'));
  }

  /** Rejects when the call was stopped from outside or its answer cannot be read. */
  call(request: WorkerRequest, limits: WorkerLimits): Promise<Outcome> {
    if (this.#pending !== undefined) throw new Error('a worker serves one call at a time');
    return new Promise((resolve, reject) => {
      const stop = (error: HostError) => {
        this.#settle(error);
        this.kill();
      };
      const timer = setTimeout(() => stop(timedOut(limits)), limits.timeoutMs);
      const cancel = () => stop(new HostError('canceled', 'the call was canceled'));
      const id = ++this.#count;
      this.#pending = {
        id,
        limits,
        settle: (end) => {
          clearTimeout(timer);
          limits.signal.removeEventListener('abort', cancel);
          if (end instanceof HostError) reject(end);
          else resolve({ end, log: this.#takeLog(), refusals: this.#confined?.egress?.takeRefusals() ?? [] });
          this.#confined?.egress?.disarm();
        },
      };
      if (limits.signal.aborted) return cancel();
      limits.signal.addEventListener('abort', cancel, { once: true });
      // What a process printed while it started belongs to the call that started it.
      if (id > 1) this.#takeLog();
      this.#confined?.egress?.arm();
      this.#write(`${JSON.stringify({ ...request, id, limit: limits.outputBytes })}\n`);
    });
  }

  #attach(confined: SandboxedProcess): Promise<Exit> {
    const { process, egress } = confined;
    this.#confined = confined;
    process.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    process.stderr.on('data', (chunk: Buffer) => this.#print(chunk));
    for (const stream of [process.stdin, process.stdout, process.stderr])
      stream.on('error', () => process.kill());
    if (this.#spent) process.kill();
    if (this.#pending !== undefined) egress?.arm();
    for (const text of this.#unsent.splice(0)) this.#write(text);
    return process.exited;
  }

  #write(text: string): void {
    if (this.#confined === undefined) this.#unsent.push(text);
    else this.#confined.process.stdin.write(text);
  }

  #settle(end: Outcome['end'] | HostError): void {
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
      if (!this.#spent) this.#receive(line.toString('utf8'));
    }
    if (from === chunk.length || this.#spent) return;
    this.#line.push(chunk.subarray(from));
    this.#lineBytes += chunk.length - from;
    const room = (this.#pending?.limits.outputBytes ?? 0) + envelopeBytes;
    if (this.#lineBytes > room)
      this.#garbled('wrote more into the channel of answers than an answer may have');
  }

  #receive(line: string): void {
    const message = parse(line);
    // Nobody asked, or it was told already: a process with nothing to say does not say it endlessly.
    const unasked = this.#pending === undefined && this.#started;
    const again = this.#uncaught !== undefined || this.#failed !== undefined;
    if (!isObject(message) || unasked || (again && message.id === undefined)) {
      this.#garbled('wrote something of its own into the channel of answers');
    } else if (message.ready === true && !this.#started) {
      this.#started = true;
    } else if (typeof message.failed === 'string') {
      // It ends now, and may say more on its way.
      this.#failed = message;
    } else if (typeof message.uncaught === 'string') {
      const what = message.rejection === true ? 'a promise failed' : 'an error was thrown';
      this.#uncaught = `${what} that nothing waited for: ${message.uncaught}`;
    } else if (this.#pending !== undefined && message.id === this.#pending.id) {
      // A limit on the whole life of a process must not fall on whoever comes last.
      if (Number(message.cpu) > this.#cpuSeconds / 2) this.#spent = true;
      this.#answer({ kind: 'answer', message });
    } else {
      this.#garbled('answered something that it was not asked');
    }
  }

  #endOf(exit: Exit): Outcome['end'] {
    if (this.#failed !== undefined) return { kind: 'failed', message: this.#failed };
    return { kind: 'ended', exit, uncaught: this.#uncaught };
  }

  /** The log was written before the answer, but on another stream: one more round brings it in. */
  #answer(end: Outcome['end']): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) setImmediate(() => pending.settle(end));
  }

  #garbled(what: string): void {
    const name = this.#pending?.limits.name ?? 'it';
    this.#settle(new HostError('tool_bad_output', `${name} ${what}`));
    this.kill();
  }
}

function timedOut({ name, timeoutMs, givenMs = timeoutMs }: WorkerLimits): HostError {
  return new HostError('timeout', `${name} was ended after ${givenMs / 1000} s`, {
    hint: 'give it more time with --timeout',
  });
}

function asFailure(error: unknown): HostError {
  if (error instanceof HostError) return error;
  return new HostError('internal', 'the process could not be started', { cause: error });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
