import { HostError } from '../model/host-error.js';
import type { Signal } from '../model/signal.js';

/** `patience` is asked for when there is somebody to wait for. */
export interface Queue {
  <T>(work: () => Promise<T>, patience?: () => Signal): Promise<T>;
  /** Pieces of work under way. */
  readonly running: number;
}

/** Lets that many pieces of work run at once; the others wait in order, and may give up while they wait. */
export function queueOf(limit: number): Queue {
  let waiting: (() => void)[] = [];
  let running = 0;
  const turn = (signal: Signal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        waiting = waiting.filter((it) => it !== begin);
        reject(new HostError('canceled', 'the call was canceled'));
      };
      const begin = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      if (signal?.aborted) return giveUp();
      signal?.addEventListener('abort', giveUp, { once: true });
      waiting.push(begin);
    });
  const enter = async <T>(work: () => Promise<T>, patience?: () => Signal): Promise<T> => {
    if (running >= limit) await turn(patience?.());
    else running++;
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody slips in between.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
  return Object.defineProperty(enter as Queue, 'running', { get: () => running });
}
