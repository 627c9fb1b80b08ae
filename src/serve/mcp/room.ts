/** Places for what is kept while nobody's request is open. */
export interface Room {
  /** Undefined when there is none left; what it gives back frees the place, once. */
  take(principal: string): (() => void) | undefined;
}

export interface RoomLimits {
  readonly each: number;
  readonly all: number;
}

export function createRoom({ each, all }: RoomLimits): Room {
  const taken = new Map<string, number>();
  let count = 0;
  return {
    take(principal) {
      const own = taken.get(principal) ?? 0;
      if (own >= each || count >= all) return undefined;
      taken.set(principal, own + 1);
      count++;
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        count--;
        const left = (taken.get(principal) ?? 1) - 1;
        if (left === 0) taken.delete(principal);
        else taken.set(principal, left);
      };
    },
  };
}
