import type { SandboxedProcess } from './spawn.js';

const idleMs = 60_000;
const most = 16;

interface Waiting {
  readonly confined: SandboxedProcess;
  readonly timer: NodeJS.Timeout;
}

/**
 * Sandboxes started ahead, blocked on their standard input, each serving exactly one call. One per key, ended after a
 * minute, the oldest first when there are too many. Whoever fills it makes sure that nothing can happen in one before
 * its call: no secret, nothing writable, a proxy that refuses.
 */
export class WarmSandboxes {
  readonly #waiting = new Map<string, Waiting>();
  readonly #starting = new Set<string>();
  #closed = false;
  #dropped = 0;

  get size(): number {
    return this.#waiting.size;
  }

  /** The one that waits under this key, if it still lives. It is the caller's from now on. */
  take(key: string): SandboxedProcess | undefined {
    const found = this.#waiting.get(key);
    if (found === undefined) return undefined;
    clearTimeout(found.timer);
    this.#waiting.delete(key);
    return found.confined;
  }

  /** Starts the next one. A failure is nobody's: the next call starts cold and tells. */
  async fill(key: string, start: () => Promise<SandboxedProcess>): Promise<void> {
    if (this.#closed || this.#waiting.has(key) || this.#starting.has(key)) return;
    const dropped = this.#dropped;
    this.#starting.add(key);
    // Starting a process holds the whole host up for a moment: the answer that was just made goes first.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      if (this.#closed || this.#dropped > dropped) return;
      const confined = await start();
      if (this.#closed || this.#dropped > dropped) return confined.process.kill();
      this.#keep(key, confined);
    } catch {
      // The call that needs it will meet the same failure and report it.
    } finally {
      this.#starting.delete(key);
    }
  }

  close(): void {
    this.#closed = true;
    this.drop();
  }

  /** Ends all that wait, and those that are being started. */
  drop(): void {
    this.#dropped++;
    for (const key of [...this.#waiting.keys()]) this.#drop(key);
  }

  #keep(key: string, confined: SandboxedProcess): void {
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= most && oldest !== undefined) this.#drop(oldest);
    const timer = setTimeout(() => this.#drop(key), idleMs);
    timer.unref();
    this.#waiting.set(key, { confined, timer });
    // A program that does not wait for its input is no use to the next call.
    const gone = () => {
      if (this.#waiting.get(key)?.confined === confined) this.#drop(key);
    };
    confined.process.exited.then(gone, gone);
  }

  #drop(key: string): void {
    this.take(key)?.process.kill();
  }
}
