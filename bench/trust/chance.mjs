/** Numbers that look drawn by lot and are the same each time. */
export function chance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound) => Math.floor(next() * bound);
  return {
    below,
    pick: (list) => list[below(list.length)],
    text: (length, alphabet) =>
      Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join(''),
  };
}

export const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
