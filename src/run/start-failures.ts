import { HostError } from '../model/host-error.js';

/** The last failed start of a key. */
interface StartFailure {
  readonly error: unknown;
  readonly times: number;
  readonly until: number;
}

const maxBackoffMs = 30_000;
const maxFailures = 256;

/** Failed starts by key. After a failed start, a key is not started again for a while. */
export class StartFailures {
  readonly #backoffMs: number;
  readonly #byKey = new Map<string, StartFailure>();

  /** `backoffMs`: the delay after the first failure; doubled with each further one. */
  constructor(backoffMs: number) {
    this.#backoffMs = backoffMs;
  }

  /** The error for requests while the key is not started; undefined if it may be started. */
  errorNow(key: string): unknown {
    const failure = this.#byKey.get(key);
    const left = (failure?.until ?? 0) - performance.now();
    if (failure === undefined || left <= 0) return undefined;
    const { error } = failure;
    const seconds = Math.max(1, Math.ceil(left / 1000));
    const hint = `it failed to start ${times(failure.times)}; try again in ${seconds} s`;
    return error instanceof HostError
      ? new HostError(error.code, error.message, { hint, cause: error, transient: { afterMs: left } })
      : error;
  }

  clear(key: string): void {
    this.#byKey.delete(key);
  }

  record(key: string, error: unknown): void {
    // A canceled request is not a failure of the program.
    if (error instanceof HostError && error.code === 'canceled') return;
    const now = performance.now();
    const earlier = this.#byKey.get(key);
    // Parallel starts count once.
    if (earlier !== undefined && earlier.until > now) return;
    const count = (earlier?.times ?? 0) + 1;
    const backoff = Math.min(this.#backoffMs * 2 ** (count - 1), maxBackoffMs);
    this.#byKey.delete(key);
    this.#byKey.set(key, { error, times: count, until: now + backoff });
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > maxFailures && oldest !== undefined) this.#byKey.delete(oldest);
  }
}

function times(count: number): string {
  return count === 1 ? 'a moment ago' : `${count} times in a row`;
}
