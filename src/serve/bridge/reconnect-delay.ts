/** Milliseconds between tries to reach a host. A request waits for all of them; then it fails. */
export const reconnectDelaysMs = [250, 500, 1000, 2000, 4000] as const;

/** Delay before the given try, for what is tried until it works. */
export function reconnectDelay(tries: number): number {
  return reconnectDelaysMs[Math.min(tries, reconnectDelaysMs.length - 1)] as number;
}

/** Resolves after this time, or when the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });
}
