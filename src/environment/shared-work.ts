import { HostError } from '../model/host-error.js';

interface Underway<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  readonly listeners: Set<(name: string) => void>;
  waiting: number;
}

/** Does the same work once for everybody who asks while it is under way; it is given up when nobody waits any more. */
export function shareWork<Result>() {
  const underway = new Map<string, Underway<Result>>();

  return async (
    key: string,
    start: (signal: AbortSignal, onStep: (name: string) => void) => Promise<Result>,
    signal: AbortSignal,
    onStep: ((name: string) => void) | undefined,
  ): Promise<Result> => {
    if (signal.aborted) throw canceled();
    let work = underway.get(key);
    if (work === undefined || work.controller.signal.aborted) {
      const controller = new AbortController();
      const listeners = new Set<(name: string) => void>();
      const result = start(controller.signal, (name) => {
        for (const it of listeners) it(name);
      });
      const begun: Underway<Result> = { result, controller, listeners, waiting: 0 };
      const forget = () => {
        if (underway.get(key) === begun) underway.delete(key);
      };
      result.then(forget, forget);
      underway.set(key, begun);
      work = begun;
    }
    const { result, controller, listeners } = work;
    work.waiting += 1;
    // One of its own for each: two may have passed the same function.
    const listener = (name: string) => onStep?.(name);
    listeners.add(listener);
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(canceled());
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      listeners.delete(listener);
      work.waiting -= 1;
      if (work.waiting === 0) controller.abort();
    }
  };
}

function canceled(): HostError {
  return new HostError('canceled', 'installing language packages was canceled');
}
