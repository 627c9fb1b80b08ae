import type { Json } from '../../model/json.js';
import { badParams, Fault } from './message.js';

/** One entry of a list, serialised once. */
export interface ListItem {
  readonly name: string;
  readonly text: string;
}

export interface Page {
  /** The entries, as the inside of a JSON array. */
  readonly items: string;
  readonly next: string | undefined;
}

export const pageSize = 500;

/** A list cut into pages. A cursor names the entry before the page, so it survives changes elsewhere in the list. */
export class PagedList {
  readonly #items: readonly ListItem[];
  readonly #size: number;
  #first: Page | undefined;

  constructor(items: readonly ListItem[], size: number = pageSize) {
    this.#items = items;
    this.#size = size;
  }

  page(cursor: Json | undefined): Page {
    if (cursor === undefined) {
      this.#first ??= this.#cut(0);
      return this.#first;
    }
    const after = typeof cursor === 'string' ? nameIn(cursor) : undefined;
    const at = after === undefined ? -1 : this.#items.findIndex((it) => it.name === after);
    if (at === -1) throw new Fault(badParams, 'this cursor is not known; begin again without one');
    return this.#cut(at + 1);
  }

  #cut(from: number): Page {
    const taken = this.#items.slice(from, from + this.#size);
    const last = taken.at(-1);
    const more = from + taken.length < this.#items.length && last !== undefined;
    return { items: taken.map((it) => it.text).join(','), next: more ? cursorOf(last.name) : undefined };
  }
}

const mark = 'after:';

function cursorOf(name: string): string {
  return Buffer.from(mark + name).toString('base64url');
}

function nameIn(cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return text.startsWith(mark) ? text.slice(mark.length) : undefined;
}
