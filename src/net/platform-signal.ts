import type { Signal } from '../model/signal.js';

/** The same wish to give up, for what takes the platform's own signal only. */
export function platformSignal(signal: Signal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', () => controller.abort(), { once: true });
  return controller.signal;
}
