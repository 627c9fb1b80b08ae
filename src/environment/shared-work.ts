import { HostError } from '../model/host-error.js';

interface RunningWork<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  readonly listeners: Set<(name: string) => void>;
  waiting: number;
}

/** Runs the same work once for all callers that request it at the same time, and cancels it when no caller waits any more. */
export function shareWork<Result>() {
  const running = new Map<string, RunningWork<Result>>();

  return async (
    key: string,
    start: (signal: AbortSignal, onStep: (name: string) => void) => Promise<Result>,
    signal: AbortSignal,
    onStep: ((name: string) => void) | undefined,
  ): Promise<Result> => {
    if (signal.aborted) throw canceled();
    let work = running.get(key);
    if (work === undefined || work.controller.signal.aborted) {
      const controller = new AbortController();
      const listeners = new Set<(name: string) => void>();
      const result = start(controller.signal, (name) => {
        for (const it of listeners) it(name);
      });
      const started: RunningWork<Result> = { result, controller, listeners, waiting: 0 };
      const forget = () => {
        if (running.get(key) === started) running.delete(key);
      };
      result.then(forget, forget);
      running.set(key, started);
      work = started;
    }
    const { result, controller, listeners } = work;
    work.waiting += 1;
    // A separate function per caller, because two callers may pass the same one.
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
