/** Limits the calls that wait for a client while none of its requests is open. */
export interface WaitingCallLimit {
  /** Returns a function that releases the place. Undefined if the limit is reached. */
  acquire(principal: string): (() => void) | undefined;
}

export interface WaitingCallLimits {
  readonly perPrincipal: number;
  readonly total: number;
}

export function createWaitingCallLimit({ perPrincipal, total }: WaitingCallLimits): WaitingCallLimit {
  const counts = new Map<string, number>();
  let count = 0;
  return {
    acquire(principal) {
      const own = counts.get(principal) ?? 0;
      if (own >= perPrincipal || count >= total) return undefined;
      counts.set(principal, own + 1);
      count++;
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        count--;
        const left = (counts.get(principal) ?? 1) - 1;
        if (left === 0) counts.delete(principal);
        else counts.set(principal, left);
      };
    },
  };
}
