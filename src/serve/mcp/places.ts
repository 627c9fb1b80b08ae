import type { CancelSignal } from '../../model/cancel-signal.js';

/** Frees a place. Further calls have no effect. */
export type FreePlace = () => void;

/** A limited number of places, such as for open questions. Who finds none waits in turn. */
export interface Places {
  /** Resolves when the owner has a place. Undefined: the signal was aborted before. */
  take(owner: string, signal: CancelSignal): Promise<FreePlace | undefined>;
  /** Undefined: there is none now. */
  takeNow(owner: string): FreePlace | undefined;
}

export interface PlaceLimits {
  readonly perOwner: number;
  readonly total: number;
}

export function createPlaces({ perOwner, total }: PlaceLimits): Places {
  const counts = new Map<string, number>();
  const queue = new Set<{ readonly owner: string; readonly begin: (free: FreePlace) => void }>();
  let count = 0;
  const takeNow = (owner: string): FreePlace | undefined => {
    const own = counts.get(owner) ?? 0;
    if (own >= perOwner || count >= total) return undefined;
    counts.set(owner, own + 1);
    count++;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      count--;
      const left = (counts.get(owner) ?? 1) - 1;
      if (left === 0) counts.delete(owner);
      else counts.set(owner, left);
      // At once, so that no newcomer takes the place of somebody who waits.
      for (const waiting of [...queue]) {
        const free = takeNow(waiting.owner);
        if (free !== undefined) waiting.begin(free);
      }
    };
  };
  return {
    takeNow,
    take(owner, signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      const free = takeNow(owner);
      if (free !== undefined) return Promise.resolve(free);
      return new Promise((resolve) => {
        const leave = (found: FreePlace | undefined) => {
          signal.removeEventListener('abort', giveUp);
          queue.delete(waiting);
          resolve(found);
        };
        const giveUp = () => leave(undefined);
        const waiting = { owner, begin: leave };
        queue.add(waiting);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
