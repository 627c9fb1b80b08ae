import { HostError } from '../../model/host-error.js';
import type { Signal } from '../../model/signal.js';
import { isBlameless, isTelling, wordsOf } from './blame.js';
import type { Upstream } from './upstream.js';

export type SupervisedState = 'stopped' | 'starting' | 'running' | 'resting' | 'failed';

/** How patient a host is with a program that ends, does not come up, or does not answer. */
export interface Supervision {
  /** How long it rests after it ended by itself; doubled each time. */
  readonly restMs: number;
  readonly longestRestMs: number;
  /** Ends in a row after which nobody starts it any more. */
  readonly restarts: number;
  /** Started again by itself where somebody used it; else by the next who needs it. */
  readonly startsAgain: boolean;
  /** Up for so long, its earlier ends are forgotten. */
  readonly steadyMs: number;
  /** Calls in a row without an answer after which no further one is tried for a while. */
  readonly failures: number;
  readonly breakMs: number;
  readonly longestBreakMs: number;
  /** How long it is kept without work. */
  readonly idleMs: number;
}

export const usualSupervision: Supervision = Object.freeze({
  restMs: 1000,
  longestRestMs: 16_000,
  restarts: 5,
  startsAgain: true,
  steadyMs: 300_000,
  failures: 5,
  breakMs: 10_000,
  longestBreakMs: 120_000,
  idleMs: 300_000,
});

/** For a program that somebody else runs: it is never given up, and asked again only when somebody needs it. */
export const patientSupervision: Pick<Supervision, 'restarts' | 'startsAgain'> = Object.freeze({
  restarts: Number.POSITIVE_INFINITY,
  startsAgain: false,
});

/** Waits until there is room for one more start that nobody waits for. */
type InTurn = (start: () => Promise<unknown>) => Promise<unknown>;

/**
 * One program that is started when it is needed, started again when it ends, left alone when that does not help, and ended
 * when nobody needs it.
 */
export class Supervised {
  readonly #name: string;
  readonly #open: (signal: Signal) => Promise<Upstream>;
  #limits: Supervision;
  /** Makes what a program said fit to be shown. */
  readonly #words: (text: string) => string;
  readonly #inTurn: InTurn;
  #state: SupervisedState = 'stopped';
  #reason = '';
  #remote: Upstream | undefined;
  #starting: Promise<Upstream> | undefined;
  #startedAt = 0;
  #ends = 0;
  #restUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #users = 0;
  #wanted = false;
  #failures = 0;
  #breaks = 0;
  #closedUntil = 0;
  #trying = false;
  #over = false;
  #retired = false;
  #killed = false;
  /** Aborted when nobody waits for it to come up any more. */
  readonly #stop = new AbortController();
  #leave: () => void = () => {};
  /** Settles when it was ended for good and is gone. */
  readonly gone = new Promise<void>((resolve) => {
    this.#leave = resolve;
  });
  /** When it was last of use, for whoever looks for the one to end first. */
  usedAt = performance.now();

  constructor(
    name: string,
    open: (signal: Signal) => Promise<Upstream>,
    limits: Partial<Supervision> = {},
    words: (text: string) => string = (text) => text,
    inTurn: InTurn = (start) => start(),
  ) {
    this.#name = name;
    this.#open = open;
    this.#words = words;
    this.#limits = { ...usualSupervision, ...limits };
    this.#inTurn = inTurn;
  }

  get state(): SupervisedState {
    return this.#state;
  }

  /** Why it is not up; empty where nothing is wrong. */
  get reason(): string {
    return this.#reason;
  }

  get busy(): boolean {
    return this.#users > 0 || this.#state === 'starting';
  }

  /** How often it ended by itself since it was last steady. */
  get ends(): number {
    return this.#ends;
  }

  /** Lends the program to `work`, started first where it is not up. Many may use it at once. */
  async use<T>(work: (remote: Upstream) => Promise<T>): Promise<T> {
    this.#assertUsable();
    const trial = this.#closedUntil > 0;
    if (trial) this.#trying = true;
    this.#users++;
    this.#wanted = true;
    clearTimeout(this.#state === 'running' ? this.#timer : undefined);
    try {
      const answer = await work(await this.#running());
      this.#answered();
      return answer;
    } catch (error) {
      if (isTelling(error)) this.#unanswered();
      else if (!(error instanceof HostError && error.code === 'canceled')) this.#answered();
      throw error;
    } finally {
      if (trial) this.#trying = false;
      this.#users--;
      if (this.#retired && this.#users === 0) void this.close('another version takes its place');
      this.usedAt = performance.now();
      this.#restWhenIdle();
    }
  }

  /** Ends the program; the next use starts it again. */
  async stop(reason: string): Promise<void> {
    clearTimeout(this.#timer);
    this.#wanted = false;
    const remote = this.#remote ?? (await this.#starting?.catch(() => undefined));
    await remote?.close(reason);
    if (this.#state === 'resting') this.#become('stopped', '');
  }

  /** Ends it for good. */
  async close(reason: string): Promise<void> {
    this.#over = true;
    this.#stop.abort();
    await this.stop(reason);
    this.#leave();
  }

  /** Ends it for good as soon as nobody uses it. */
  retire(): void {
    this.#retired = true;
    if (this.#users === 0) void this.close('another version takes its place');
  }

  /** Somebody uses another version now: without work it is kept for so long at most. */
  outdated(idleMs: number): void {
    this.#limits = { ...this.#limits, idleMs: Math.min(idleMs, this.#limits.idleMs) };
    this.#restWhenIdle();
  }

  /** Ends it for good and at once. */
  kill(): void {
    this.#over = true;
    this.#stop.abort();
    clearTimeout(this.#timer);
    this.#killed = true;
    const ending = this.#remote === undefined ? this.#starting : this.#end(this.#remote, 'it was stopped');
    Promise.resolve(ending).then(this.#leave, this.#leave);
  }

  async #end(remote: Upstream, reason: string): Promise<void> {
    if (!this.#killed || remote.kill === undefined) return remote.close(reason);
    remote.kill();
    await remote.ended;
  }

  #assertUsable(): void {
    if (this.#over) throw new HostError('canceled', 'the host is being closed');
    const now = performance.now();
    if (this.#state === 'failed')
      throw new HostError('upstream_failed', `${this.#name} is given up: ${this.#reason}`, {
        hint: 'mend it, then switch it off and on again, or start the host anew',
      });
    if (this.#state === 'resting')
      throw new HostError('upstream_failed', `${this.#name} is not up: ${this.#reason}`, {
        hint: `it is started again in ${seconds(this.#restUntil - now)}`,
      });
    if (this.#closedUntil > now || this.#trying)
      throw new HostError(
        'upstream_failed',
        `${this.#name} did not answer ${this.#failures} times in a row`,
        {
          hint: `the next call is tried in ${seconds(this.#closedUntil - now)}`,
        },
      );
  }

  #running(): Promise<Upstream> {
    if (this.#remote !== undefined) return Promise.resolve(this.#remote);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<Upstream> {
    clearTimeout(this.#timer);
    this.#become('starting', '');
    this.#startedAt = performance.now();
    let remote: Upstream;
    try {
      remote = await this.#open(this.#stop.signal);
    } catch (error) {
      if (isBlameless(error)) this.#become('stopped', '');
      else this.#gone(wordsOf(error));
      throw error;
    }
    this.#remote = remote;
    this.#become('running', '');
    remote.ended.then(({ kind, reason }) => {
      if (this.#remote === remote) this.#remote = undefined;
      if (kind === 'asked' || this.#over) this.#become('stopped', '');
      else this.#gone(this.#words(reason));
    });
    if (this.#over) await this.#end(remote, 'the host is being closed');
    return remote;
  }

  /** It ended by itself, or did not come up. */
  #gone(reason: string): void {
    const { restMs, longestRestMs, restarts, steadyMs } = this.#limits;
    if (performance.now() - this.#startedAt >= steadyMs) this.#ends = 0;
    this.#ends++;
    if (this.#ends > restarts) {
      this.#become('failed', `it ended ${this.#ends} times in a row, last because ${reason}`);
      return;
    }
    const rest = Math.min(restMs * 2 ** (this.#ends - 1), longestRestMs);
    this.#restUntil = performance.now() + rest;
    this.#become('resting', reason);
    this.#timer = setTimeout(() => this.#startAgain(), rest);
    this.#timer.unref();
  }

  #startAgain(): void {
    if (this.#over) return;
    if (this.#wanted && this.#limits.startsAgain)
      this.#inTurn(() => (this.#over ? Promise.resolve() : this.#running())).then(
        () => this.#restWhenIdle(),
        () => {},
      );
    else this.#become('stopped', '');
  }

  #restWhenIdle(): void {
    if (this.#users > 0 || this.#state !== 'running') return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.stop('nobody needs it now'), this.#limits.idleMs);
    this.#timer.unref();
  }

  #answered(): void {
    this.#failures = 0;
    this.#breaks = 0;
    this.#closedUntil = 0;
  }

  #unanswered(): void {
    const { failures, breakMs, longestBreakMs } = this.#limits;
    this.#failures++;
    if (this.#failures < failures) return;
    this.#breaks++;
    this.#closedUntil = performance.now() + Math.min(breakMs * 2 ** (this.#breaks - 1), longestBreakMs);
  }

  #become(state: SupervisedState, reason: string): void {
    this.#state = state;
    this.#reason = reason;
  }
}

function seconds(milliseconds: number): string {
  return `${Math.max(1, Math.ceil(milliseconds / 1000))} s`;
}
