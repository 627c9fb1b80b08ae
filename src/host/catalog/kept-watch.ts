import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';

/** Milliseconds until a lost subscription is opened again; the last one repeats. */
const retryDelays = [1000, 2000, 5000, 15_000, 60_000];

/** Opens a subscription. Resolves when it has begun, to a promise of its end. */
export type OpenWatch = () => Promise<{ readonly ended: Promise<void> }>;

/**
 * Keeps a subscription open until the signal: if the server restarts, it is opened again. Rejects if it cannot be opened
 * the first time. `onReopened`: called each time, because an update may have been missed.
 */
export async function keepWatching(
  open: OpenWatch,
  onReopened: () => void,
  signal: CancelSignal,
): Promise<void> {
  const first = await open();
  void reopen(first.ended, open, onReopened, signal);
}

async function reopen(
  firstEnd: Promise<void>,
  open: OpenWatch,
  onReopened: () => void,
  signal: CancelSignal,
): Promise<void> {
  let ended = firstEnd;
  for (let tries = 0; ; ) {
    await ended;
    if (signal.aborted) return;
    await pause(retryDelays[Math.min(tries, retryDelays.length - 1)] as number, signal);
    tries++;
    if (signal.aborted) return;
    try {
      ({ ended } = await open());
      tries = 0;
      if (!signal.aborted) onReopened();
    } catch (error) {
      // The program says when it is started again.
      const wanted = error instanceof HostError ? (error.transient?.afterMs ?? 0) : 0;
      ended = pause(Math.min(wanted, 60_000), signal);
    }
  }
}

function pause(milliseconds: number, signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    timer.unref();
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
