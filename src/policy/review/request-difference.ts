/** Collects what a package gained and what it gave up; each sentence once. */
export class RequestDifference {
  readonly widened = new Set<string>();
  readonly narrowed = new Set<string>();

  /** Compares two sets. */
  members(
    old: readonly string[],
    now: readonly string[],
    gained: (it: string) => string,
    lost: (it: string) => string,
  ) {
    for (const it of now) if (!old.includes(it)) this.widened.add(gained(it));
    for (const it of old) if (!now.includes(it)) this.narrowed.add(lost(it));
  }

  flag(old: boolean, now: boolean, gained: string, lost: string) {
    if (now && !old) this.widened.add(gained);
    if (old && !now) this.narrowed.add(lost);
  }

  /** Compares two upper limits. Null means no limit, which is the widest. */
  bound(old: number | null, now: number | null, what: string) {
    if (old === now) return;
    const show = (it: number | null) => (it === null ? 'none' : String(it));
    const sentence = `${what} is now ${show(now)} (was: ${show(old)})`;
    const wider = now === null || (old !== null && now > old);
    (wider ? this.widened : this.narrowed).add(sentence);
  }

  /** Compares two descriptions; empty means none. Another description was never agreed to, so it widens. */
  replacement(old: string, now: string, gained: (it: string) => string, lost: (it: string) => string) {
    if (old === now) return;
    if (now !== '') this.widened.add(gained(now));
    else this.narrowed.add(lost(old));
  }
}

/** Pairs items by name. Of several with the same name, the first is paired with the first, and so on. */
export function pairByName<T extends { readonly name: string }>(
  before: readonly T[],
  after: readonly T[],
): [T | undefined, T | undefined][] {
  const paired = new Map<string, [T | undefined, T | undefined]>();
  for (const [side, items] of [before, after].entries()) {
    const seen = new Map<string, number>();
    for (const item of items) {
      const count = seen.get(item.name) ?? 0;
      seen.set(item.name, count + 1);
      const key = `${count} ${item.name}`;
      const pair = paired.get(key) ?? [undefined, undefined];
      pair[side] = item;
      paired.set(key, pair);
    }
  }
  return [...paired.values()];
}
