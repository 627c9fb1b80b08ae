/** Gathers what was gained and what was given up, each said once. */
export class Difference {
  readonly widened = new Set<string>();
  readonly narrowed = new Set<string>();

  /** Things that can be had or not. */
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

  /** A bound: none is the widest, then the larger the wider. */
  bound(old: number | null, now: number | null, what: string) {
    if (old === now) return;
    const show = (it: number | null) => (it === null ? 'none' : String(it));
    const sentence = `${what} is ${show(now)} now (was: ${show(old)})`;
    const wider = now === null || (old !== null && now > old);
    (wider ? this.widened : this.narrowed).add(sentence);
  }

  /** Something that is done one way: another way was never agreed to. */
  way(old: string, now: string, gained: (it: string) => string, lost: (it: string) => string) {
    if (old === now) return;
    if (now !== '') this.widened.add(gained(now));
    else this.narrowed.add(lost(old));
  }
}

/** Things of one name side by side; of several with the same name, the first with the first. */
export function pairs<T extends { readonly name: string }>(
  before: readonly T[],
  after: readonly T[],
): [T | undefined, T | undefined][] {
  const found = new Map<string, [T | undefined, T | undefined]>();
  for (const [side, items] of [before, after].entries()) {
    const seen = new Map<string, number>();
    for (const item of items) {
      const count = seen.get(item.name) ?? 0;
      seen.set(item.name, count + 1);
      const key = `${count} ${item.name}`;
      const pair = found.get(key) ?? [undefined, undefined];
      pair[side] = item;
      found.set(key, pair);
    }
  }
  return [...found.values()];
}
