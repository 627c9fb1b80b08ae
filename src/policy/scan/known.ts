import type { Span } from '../guardrails/span.js';
import { lettersOf, skeletonOf } from './letters.js';
import { type Spellings, spellingsOf } from './needle.js';
import { Seeker } from './seeker.js';
import { type View, viewsOf } from './view.js';

export interface KnownHit extends Span {
  /** Which of the values. */
  readonly secret: number;
  /** Found as a piece, or without what stands between; else whole and literal, which even a short one can be. */
  readonly long: boolean;
}

/** Finds given values in texts, however they are spelled. Made once for a set of values. */
export class KnownValues {
  readonly values: readonly string[];
  readonly #exact: Seeker;
  readonly #bare: Seeker;
  readonly #literal: Spellings['literal'];

  constructor(values: readonly string[]) {
    this.values = values;
    const spelled = values.map(spellingsOf);
    this.#exact = new Seeker(spelled.flatMap((it) => it.exact));
    this.#bare = new Seeker(spelled.flatMap((it) => it.bare));
    this.#literal = spelled.flatMap((it) => it.literal);
  }

  get empty(): boolean {
    return this.#exact.empty && this.#bare.empty && this.#literal.length === 0;
  }

  /** Takes time in proportion to the text, not to the number of values. */
  find(text: string, views: readonly View[] = viewsOf(text)): KnownHit[] {
    if (this.empty) return [];
    return views.flatMap((view) => this.#findIn(view).map((hit) => placed(hit, view)));
  }

  #findIn({ text }: View): KnownHit[] {
    const found: KnownHit[] = [];
    for (const { text: needle, secret } of this.#literal) {
      for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1))
        found.push({ start: at, end: at + needle.length, secret, long: false });
    }
    if (!this.#exact.empty) {
      const letters = lettersOf(text);
      for (const { start, end, needle } of this.#exact.find(letters.codes))
        found.push({ start, end, secret: needle.secret, long: true });
    }
    if (!this.#bare.empty) {
      const { codes, at } = skeletonOf(text);
      for (const { start, end, needle } of this.#bare.find(codes)) {
        const last = at[end - 1] as number;
        const width = (text.codePointAt(last) as number) > 0xffff ? 2 : 1;
        const span = { start: at[start] as number, end: last + width };
        found.push({ ...(needle.widen ? widened(text, span) : span), secret: needle.secret, long: true });
      }
    }
    return found;
  }
}

/** A character at each end of base64 holds bits of its neighbours; the signs at its end say how long it is. */
function widened(text: string, { start, end }: Span): Span {
  const first = /[A-Za-z0-9+/_-]/.test(text.charAt(start - 1)) ? start - 1 : start;
  let last = /[A-Za-z0-9+/_-]/.test(text.charAt(end)) ? end + 1 : end;
  while (text.charAt(last) === '=' && last - end < 3) last++;
  return { start: first, end: last };
}

function placed(hit: KnownHit, { from, to }: View): KnownHit {
  if (from === null || to === null) return hit;
  return { ...hit, start: from[hit.start] as number, end: to[hit.end - 1] as number };
}
