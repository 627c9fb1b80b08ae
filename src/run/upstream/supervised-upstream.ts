import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { failureReason, isConfigurationFailure, isUpstreamFailure } from './failure-class.js';
import { defaultSupervision, type SupervisionPolicy } from './supervision-policy.js';
import type { Upstream } from './upstream.js';

export type SupervisedState = 'stopped' | 'starting' | 'running' | 'backoff' | 'failed';

/** Limits how many automatic restarts run at the same time. */
type RestartQueue = (start: () => Promise<unknown>) => Promise<unknown>;

/**
 * A program that is started on demand, restarted after an unexpected exit, disabled after too many exits, and stopped
 * when idle.
 */
export class SupervisedUpstream<U extends Upstream = Upstream> {
  readonly #name: string;
  readonly #open: (signal: CancelSignal) => Promise<U>;
  #policy: SupervisionPolicy;
  /** Cleans text of the program for messages. */
  readonly #cleanText: (text: string) => string;
  readonly #restartQueue: RestartQueue;
  #state: SupervisedState = 'stopped';
  #reason = '';
  #upstream: U | undefined;
  #starting: Promise<U> | undefined;
  #startedAt = 0;
  #exits = 0;
  #backoffUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #users = 0;
  /** Who needs it to keep running although they do not use it now. */
  #keepers = 0;
  #isOutdated = false;
  #wasUsed = false;
  #failures = 0;
  #pauses = 0;
  #pausedUntil = 0;
  #isTrialRunning = false;
  #isClosed = false;
  #retired = false;
  #killed = false;
  /** Aborted when it is closed, which also cancels a start. */
  readonly #stopSignal = new AbortController();
  #resolveGone: () => void = () => {};
  /** Resolves when it was closed and has exited. */
  readonly gone = new Promise<void>((resolve) => {
    this.#resolveGone = resolve;
  });
  /** Time of the last use, to find the upstream to stop first. */
  usedAt = performance.now();

  constructor(
    name: string,
    open: (signal: CancelSignal) => Promise<U>,
    policy: Partial<SupervisionPolicy> = {},
    cleanText: (text: string) => string = (text) => text,
    restartQueue: RestartQueue = (start) => start(),
  ) {
    this.#name = name;
    this.#open = open;
    this.#cleanText = cleanText;
    this.#policy = { ...defaultSupervision, ...policy };
    this.#restartQueue = restartQueue;
  }

  get state(): SupervisedState {
    return this.#state;
  }

  /** Why it is not running; empty if nothing is wrong. */
  get reason(): string {
    return this.#reason;
  }

  get busy(): boolean {
    return this.#users > 0 || this.#state === 'starting';
  }

  /** Unexpected exits since it last ran stably. */
  get exits(): number {
    return this.#exits;
  }

  /** Runs `work` with the program, which is started if needed. Many calls may use it at the same time. */
  async use<T>(work: (upstream: U) => Promise<T>): Promise<T> {
    this.#assertUsable();
    const trial = this.#pausedUntil > 0;
    if (trial) this.#isTrialRunning = true;
    this.#users++;
    this.#wasUsed = true;
    clearTimeout(this.#state === 'running' ? this.#timer : undefined);
    try {
      const answer = await work(await this.#running());
      this.#answered();
      return answer;
    } catch (error) {
      if (isUpstreamFailure(error)) this.#unanswered();
      else if (!(error instanceof HostError && error.code === 'canceled')) this.#answered();
      throw error;
    } finally {
      if (trial) this.#isTrialRunning = false;
      this.#users--;
      if (this.#retired && this.#users === 0) void this.close('another version replaces it');
      this.usedAt = performance.now();
      this.#stopWhenIdle();
    }
  }

  /** Keeps it running while it is idle, until another version is in use. Returns a function that ends this. */
  keep(): () => void {
    this.#keepers++;
    clearTimeout(this.#state === 'running' && !this.#isOutdated ? this.#timer : undefined);
    return () => {
      this.#keepers--;
      this.#stopWhenIdle();
    };
  }

  /** Stops the program; the next use starts it again. */
  async stop(reason: string): Promise<void> {
    clearTimeout(this.#timer);
    this.#wasUsed = false;
    const upstream = this.#upstream ?? (await this.#starting?.catch(() => undefined));
    await upstream?.close(reason);
    if (this.#state === 'backoff') this.#setState('stopped', '');
  }

  /** Stops it permanently. */
  async close(reason: string): Promise<void> {
    this.#isClosed = true;
    this.#stopSignal.abort();
    await this.stop(reason);
    this.#resolveGone();
  }

  /** Stops it permanently as soon as no call uses it. */
  retire(): void {
    this.#retired = true;
    if (this.#users === 0) void this.close('another version replaces it');
  }

  /** Another version is in use now, so an idle program is kept for at most `idleMs`. */
  shortenIdleTime(idleMs: number): void {
    this.#isOutdated = true;
    this.#policy = { ...this.#policy, idleMs: Math.min(idleMs, this.#policy.idleMs) };
    this.#stopWhenIdle();
  }

  /** Kills it immediately and permanently. */
  kill(): void {
    this.#isClosed = true;
    this.#stopSignal.abort();
    clearTimeout(this.#timer);
    this.#killed = true;
    const ending =
      this.#upstream === undefined ? this.#starting : this.#end(this.#upstream, 'it was stopped');
    Promise.resolve(ending).then(this.#resolveGone, this.#resolveGone);
  }

  async #end(upstream: Upstream, reason: string): Promise<void> {
    if (!this.#killed || upstream.kill === undefined) return upstream.close(reason);
    upstream.kill();
    await upstream.ended;
  }

  #assertUsable(): void {
    if (this.#isClosed) throw new HostError('canceled', 'the host is shutting down');
    const now = performance.now();
    if (this.#state === 'failed')
      throw new HostError('upstream_failed', `${this.#name} is not restarted any more: ${this.#reason}`, {
        hint: 'fix it, then disable and enable the package, or restart the host',
      });
    if (this.#state === 'backoff')
      throw new HostError('upstream_failed', `${this.#name} is not running: ${this.#reason}`, {
        hint: `it is restarted in ${seconds(this.#backoffUntil - now)}`,
        transient: { afterMs: Math.max(0, this.#backoffUntil - now) },
      });
    if (this.#pausedUntil > now || this.#isTrialRunning)
      throw new HostError(
        'upstream_failed',
        `${this.#name} did not answer ${this.#failures} times in a row`,
        {
          hint: `try again in ${seconds(this.#pausedUntil - now)}`,
        },
      );
  }

  #running(): Promise<U> {
    if (this.#upstream !== undefined) return Promise.resolve(this.#upstream);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<U> {
    clearTimeout(this.#timer);
    this.#setState('starting', '');
    this.#startedAt = performance.now();
    let upstream: U;
    try {
      upstream = await this.#open(this.#stopSignal.signal);
    } catch (error) {
      if (isConfigurationFailure(error)) this.#setState('stopped', '');
      else this.#handleExit(failureReason(error));
      throw error;
    }
    this.#upstream = upstream;
    this.#setState('running', '');
    upstream.ended.then(({ kind, reason }) => {
      if (this.#upstream === upstream) this.#upstream = undefined;
      if (kind === 'requested' || this.#isClosed) this.#setState('stopped', '');
      else this.#handleExit(this.#cleanText(reason));
    });
    if (this.#isClosed) await this.#end(upstream, 'the host is shutting down');
    return upstream;
  }

  /** It exited unexpectedly, or failed to start. */
  #handleExit(reason: string): void {
    const { backoffMs, maxBackoffMs, maxRestarts, stableMs } = this.#policy;
    if (performance.now() - this.#startedAt >= stableMs) this.#exits = 0;
    this.#exits++;
    if (this.#exits > maxRestarts) {
      this.#setState('failed', `it exited ${this.#exits} times in a row; last reason: ${reason}`);
      return;
    }
    const backoff = Math.min(backoffMs * 2 ** (this.#exits - 1), maxBackoffMs);
    this.#backoffUntil = performance.now() + backoff;
    this.#setState('backoff', reason);
    this.#timer = setTimeout(() => this.#restart(), backoff);
    this.#timer.unref();
  }

  #restart(): void {
    if (this.#isClosed) return;
    if (this.#wasUsed && this.#policy.autoRestart)
      this.#restartQueue(() => (this.#isClosed ? Promise.resolve() : this.#running())).then(
        () => this.#stopWhenIdle(),
        () => {},
      );
    else this.#setState('stopped', '');
  }

  #stopWhenIdle(): void {
    if (this.#users > 0 || this.#state !== 'running') return;
    if (this.#keepers > 0 && !this.#isOutdated) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.stop('it was idle'), this.#policy.idleMs);
    this.#timer.unref();
  }

  #answered(): void {
    this.#failures = 0;
    this.#pauses = 0;
    this.#pausedUntil = 0;
  }

  #unanswered(): void {
    const { maxFailures, pauseMs, maxPauseMs } = this.#policy;
    this.#failures++;
    if (this.#failures < maxFailures) return;
    this.#pauses++;
    this.#pausedUntil = performance.now() + Math.min(pauseMs * 2 ** (this.#pauses - 1), maxPauseMs);
  }

  #setState(state: SupervisedState, reason: string): void {
    this.#state = state;
    this.#reason = reason;
  }
}

function seconds(milliseconds: number): string {
  return `${Math.max(1, Math.ceil(milliseconds / 1000))} s`;
}
