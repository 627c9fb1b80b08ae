import type { Json } from '../../model/json.js';
import { badParams, Fault } from './message.js';

/** One entry of a list, serialized once. */
export interface ListItem {
  readonly name: string;
  readonly text: string;
}

export interface Page {
  /** The entries, as the inside of a JSON array. */
  readonly items: string;
  readonly next: string | undefined;
}

export interface PageBounds {
  readonly entries: number;
  /** Of all entries together; one that is longer has a page of its own. */
  readonly characters: number;
}

/** Not every client asks for a second page, so the first is as long as a client can be expected to read. */
const usualBounds: PageBounds = { entries: 2000, characters: 1024 * 1024 };

/** A list cut into pages. A cursor names the entry before the page, so it survives changes elsewhere in the list. */
export class PagedList {
  readonly #items: readonly ListItem[];
  readonly #bounds: PageBounds;
  /** Pages by their first entry: those that whoever begins at the beginning comes by, each put together once. */
  readonly #made = new Map<number, Page>();
  #places: ReadonlyMap<string, number> | undefined;

  constructor(items: readonly ListItem[], bounds: PageBounds = usualBounds) {
    this.#items = items;
    this.#bounds = bounds;
  }

  page(cursor: Json | undefined): Page {
    if (cursor === undefined) return this.#from(0, true);
    const after = typeof cursor === 'string' ? nameIn(cursor) : undefined;
    const at = after === undefined ? undefined : this.#placeOf(after);
    if (at === undefined) throw new Fault(badParams, 'this cursor is not known; begin again without one');
    // A cursor from an older list may lead into the middle of a page; such pages are not kept.
    return this.#from(at + 1, this.#made.has(at + 1));
  }

  #placeOf(name: string): number | undefined {
    this.#places ??= new Map(this.#items.map((it, at) => [it.name, at]));
    return this.#places.get(name);
  }

  #from(first: number, isKept: boolean): Page {
    const known = this.#made.get(first);
    if (known !== undefined && known !== pending) return known;
    const end = this.#endOf(first);
    const last = this.#items[end - 1];
    const more = end < this.#items.length && last !== undefined;
    const taken = this.#items.slice(first, end);
    const page = {
      items: taken.map((it) => it.text).join(','),
      next: more ? cursorOf(last.name) : undefined,
    };
    if (!isKept) return page;
    this.#made.set(first, page);
    if (more && !this.#made.has(end)) this.#made.set(end, pending);
    return page;
  }

  #endOf(first: number): number {
    const { entries, characters } = this.#bounds;
    let length = 0;
    for (let at = first; at < this.#items.length; at++) {
      length += (this.#items[at] as ListItem).text.length;
      if (at > first && (length > characters || at - first >= entries)) return at;
    }
    return this.#items.length;
  }
}

/** Stands for a page that somebody will ask for. */
const pending: Page = { items: '', next: undefined };

const mark = 'after:';

function cursorOf(name: string): string {
  return Buffer.from(mark + name).toString('base64url');
}

function nameIn(cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return text.startsWith(mark) ? text.slice(mark.length) : undefined;
}
