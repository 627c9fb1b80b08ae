import { HostError } from '../model/host-error.js';

/** Entries are on disk at most 25 ms after their commit. The sync itself takes a part of that time. */
const syncDelayMs = 20;

/**
 * Writes commits to the disk a moment after they were made. After a failure nobody knows what is on the disk, and a
 * second attempt could seem to succeed, so the failure stays until the host starts again.
 */
export class DelayedSync {
  readonly #sync: () => Promise<void>;
  #pending = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #failure: HostError | undefined;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Throws if an earlier commit may not be on the disk. */
  assertWorks(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** A commit was made that is not on the disk. */
  committed(): void {
    this.#pending = true;
    this.#schedule();
  }

  /** Everything that was committed before is on the disk. */
  covered(): void {
    this.#pending = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Resolves when all commits so far are on the disk. */
  async flush(): Promise<void> {
    while (this.#running !== undefined || this.#pending) {
      if (this.#failure !== undefined) break;
      await (this.#running ?? this.#start());
    }
    this.assertWorks();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#pending && this.#running === undefined) this.#start();
    }, syncDelayMs);
  }

  #start(): Promise<void> {
    this.covered();
    this.#running = this.#sync()
      .catch((error) => {
        this.#failure = new HostError(
          'state_unusable',
          'entries of the audit log could not be written to the disk; no call runs any more',
          { cause: error, hint: 'check the disk of the state directory, then start the host again' },
        );
      })
      .finally(() => {
        this.#running = undefined;
        if (this.#pending) this.#schedule();
      });
    return this.#running;
  }
}
