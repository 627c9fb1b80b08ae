import type { Span } from '../guardrails/span.js';
import { type Marks, Room, skeletonOf } from './letters.js';
import { type Spellings, spellingsOf } from './needle.js';
import { Seeker } from './seeker.js';
import { original, type View, viewsOf } from './view.js';

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
  find(text: string, views: readonly View[] = viewsOf(text)): readonly KnownHit[] {
    if (this.empty) return none;
    const found: KnownHit[] = [];
    for (const view of views) this.#findIn(view, found);
    return found.length === 0 ? none : found;
  }

  #findIn(view: View, all: KnownHit[]): void {
    const { text } = view;
    for (const { text: needle, secret } of this.#literal) {
      for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1))
        all.push(original({ start: at, end: at + needle.length, secret, long: false }, view));
    }
    if (!this.#exact.empty) {
      room.letters(text);
      for (const { start, end, needle } of this.#exact.find(room.codes, room.length))
        all.push(original({ start, end, secret: needle.secret, long: true }, view));
    }
    if (!this.#bare.empty) {
      this.#findBare(view, 'left out', all);
      if (room.marked) this.#findBare(view, 'kept', all);
    }
  }

  #findBare(view: View, marks: Marks, all: KnownHit[]): void {
    const { text } = view;
    room.skeleton(text, marks);
    const pieces = this.#bare.find(room.codes, room.length);
    if (pieces.length === 0) return;
    const { at } = skeletonOf(text, marks);
    for (const { start, end, needle } of pieces) {
      const last = at[end - 1] as number;
      const wide = (text.codePointAt(last) as number) > 0xffff ? 2 : 1;
      const span = { start: at[start] as number, end: last + wide };
      const { secret } = needle;
      all.push(original({ ...(needle.widen ? widened(text, span) : span), secret, long: true }, view));
    }
  }
}

const none: readonly KnownHit[] = [];
/** Each text is done with before the next one comes. */
const room = new Room();

/** A character at each end of base64 holds bits of its neighbors; the signs at its end say how long it is. */
function widened(text: string, { start, end }: Span): Span {
  const first = /[A-Za-z0-9+/_-]/.test(text.charAt(start - 1)) ? start - 1 : start;
  let last = /[A-Za-z0-9+/_-]/.test(text.charAt(end)) ? end + 1 : end;
  while (text.charAt(last) === '=' && last - end < 3) last++;
  return { start: first, end: last };
}
