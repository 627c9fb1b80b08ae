import type { CancelSignal } from '../model/cancel-signal.js';
import { callCanceled } from '../model/host-error.js';

/** `waitSignal` ends the waiting; it is only called if the work has to wait. */
export interface Queue {
  <T>(work: () => Promise<T>, waitSignal?: () => CancelSignal): Promise<T>;
  /** Number of pieces of work that run now. */
  readonly running: number;
}

/** Runs up to `limit` pieces of work at once. Others wait in order, and can be canceled while they wait. */
export function createQueue(limit: number): Queue {
  let waiting: (() => void)[] = [];
  let running = 0;
  const waitForTurn = (signal: CancelSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const cancel = () => {
        waiting = waiting.filter((it) => it !== begin);
        reject(callCanceled());
      };
      const begin = () => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      if (signal?.aborted) return cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      waiting.push(begin);
    });
  const enter = async <T>(work: () => Promise<T>, waitSignal?: () => CancelSignal): Promise<T> => {
    if (running >= limit) await waitForTurn(waitSignal?.());
    else running++;
    try {
      return await work();
    } finally {
      // The place goes directly to the next in line, so that no newcomer can take it first.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
  return Object.defineProperty(enter as Queue, 'running', { get: () => running });
}
