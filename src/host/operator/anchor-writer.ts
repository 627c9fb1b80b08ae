import type { AnchorPlace, AuditAnchor } from '../../store/audit-anchor.js';

export interface AnchorWriterOptions {
  /** After the first write, and after the first one that works again. */
  readonly onWritten: () => void;
  /** After the first write that fails. */
  readonly onFailed: (reason: string) => void;
  /** Delays before further attempts; the last one repeats. */
  readonly retryDelaysMs?: readonly number[];
}

const defaultRetryDelaysMs = [1000, 5000, 25_000, 60_000];
/** How long a closing host waits for the last write. */
const closeTimeoutMs = 2000;

/** Keeps the anchor of one place up to date in the background. Only the newest one is written, also after a failure. */
export class AnchorWriter {
  readonly #place: AnchorPlace;
  readonly #options: AnchorWriterOptions;
  #newest: AuditAnchor | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #dueAt = 0;
  #failures = 0;
  #isWritten = false;
  #isClosed = false;

  constructor(place: AnchorPlace, options: AnchorWriterOptions) {
    this.#place = place;
    this.#options = options;
  }

  offer(anchor: AuditAnchor): void {
    this.#newest = anchor;
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeTimeoutMs);
    });
    await Promise.race([this.#finish(), timeout]);
    clearTimeout(timer);
  }

  async #finish(): Promise<void> {
    await this.#writing;
    if (this.#newest !== undefined) await this.#write(this.#newest);
  }

  #schedule(): void {
    const busy = this.#timer !== undefined || this.#writing !== undefined;
    if (busy || this.#isClosed || this.#newest === undefined) return;
    const delay = Math.max(0, this.#dueAt - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write(this.#newest as AuditAnchor).finally(() => {
        this.#writing = undefined;
        this.#schedule();
      });
    }, delay);
    this.#timer.unref();
  }

  async #write(anchor: AuditAnchor): Promise<void> {
    this.#newest = undefined;
    this.#dueAt = performance.now() + this.#place.intervalMs;
    try {
      await this.#place.write(anchor);
      if (!this.#isWritten || this.#failures > 0) this.#options.onWritten();
      this.#isWritten = true;
      this.#failures = 0;
    } catch (error) {
      this.#newest ??= anchor;
      const delays = this.#options.retryDelaysMs ?? defaultRetryDelaysMs;
      const delay = delays[Math.min(this.#failures, delays.length - 1)] ?? 0;
      this.#dueAt = performance.now() + Math.max(delay, this.#place.intervalMs);
      if (this.#failures++ === 0)
        this.#options.onFailed(error instanceof Error ? error.message : String(error));
    }
  }
}
