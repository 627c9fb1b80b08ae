import { type OwnedProcess, type ProcessOwner, processToEvict } from './process-owner.js';
import type { SandboxedProcess } from './sandboxed-process.js';

const idleMs = 60_000;
const maxSandboxes = 16;

interface PrestartedSandbox extends OwnedProcess {
  readonly key: string;
  readonly sandboxed: SandboxedProcess;
  readonly timer: NodeJS.Timeout;
}

/**
 * Sandboxes started in advance. Each waits on its standard input and serves exactly one call. One per key, killed after
 * one minute. If there are too many, one of the owner with the most is killed. The caller makes sure that a waiting sandbox can do no harm: no
 * secret, no writable folder, and an egress proxy that denies everything.
 */
export class PrestartedSandboxes {
  readonly #waiting = new Map<string, PrestartedSandbox>();
  readonly #starting = new Set<string>();
  #closed = false;
  #clearCount = 0;

  get size(): number {
    return this.#waiting.size;
  }

  /** Removes and returns the waiting sandbox of this key, if there is one. */
  take(key: string): SandboxedProcess | undefined {
    const found = this.#waiting.get(key);
    if (found === undefined) return undefined;
    clearTimeout(found.timer);
    this.#waiting.delete(key);
    return found.sandboxed;
  }

  /** Starts a sandbox for the next call. Ignores failures: the next call then starts its own sandbox and reports them. */
  async prestart(key: string, owner: ProcessOwner, start: () => Promise<SandboxedProcess>): Promise<void> {
    if (this.#closed || this.#waiting.has(key) || this.#starting.has(key)) return;
    const clearCount = this.#clearCount;
    this.#starting.add(key);
    // Starting a process blocks the host for a moment, so the current result is returned first.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      if (this.#closed || this.#clearCount > clearCount) return;
      const sandboxed = await start();
      if (this.#closed || this.#clearCount > clearCount) return sandboxed.process.kill();
      this.#keep(key, owner, sandboxed);
    } catch {
      // The call that needs it will get the same failure and report it.
    } finally {
      this.#starting.delete(key);
    }
  }

  close(): void {
    this.#closed = true;
    this.clear();
  }

  /** Kills all waiting sandboxes, and those that are being started. */
  clear(): void {
    this.#clearCount++;
    for (const key of [...this.#waiting.keys()]) this.#kill(key);
  }

  /** Kills the waiting sandboxes of an owner, who will make no more calls. */
  end(ownerId: string): void {
    for (const { key, owner } of [...this.#waiting.values()]) if (owner.id === ownerId) this.#kill(key);
  }

  #keep(key: string, owner: ProcessOwner, sandboxed: SandboxedProcess): void {
    if (this.#waiting.size >= maxSandboxes) {
      // In the order in which they were started.
      const all = [...this.#waiting.values()];
      const evicted = processToEvict(owner, all, all, () => 0);
      if (evicted !== undefined) this.#kill(evicted.key);
    }
    const timer = setTimeout(() => this.#kill(key), idleMs);
    timer.unref();
    this.#waiting.set(key, { key, owner, sandboxed, timer });
    // A program that exits without waiting for input cannot serve the next call.
    const gone = () => {
      if (this.#waiting.get(key)?.sandboxed === sandboxed) this.#kill(key);
    };
    sandboxed.process.exited.then(gone, gone);
  }

  #kill(key: string): void {
    this.take(key)?.process.kill();
  }
}
