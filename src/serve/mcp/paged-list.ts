import type { Json } from '../../model/json.js';
import { invalidParams, RpcError } from './json-rpc.js';

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
  /** Of all entries on a page. A longer single entry gets its own page. */
  readonly characters: number;
}

/** Some clients read only the first page, so a page is as large as a client can reasonably read. */
const defaultBounds: PageBounds = { entries: 2000, characters: 1024 * 1024 };

/** A list in pages. A cursor names the entry before the page, so it stays valid when other parts of the list change. */
export class PagedList {
  readonly #items: readonly ListItem[];
  readonly #bounds: PageBounds;
  /** Cached pages by the index of their first entry. Only pages that a client reaches from the start are cached. */
  readonly #pages = new Map<number, Page>();
  #indexes: ReadonlyMap<string, number> | undefined;

  constructor(items: readonly ListItem[], bounds: PageBounds = defaultBounds) {
    this.#items = items;
    this.#bounds = bounds;
  }

  page(cursor: Json | undefined): Page {
    if (cursor === undefined) return this.#from(0, true);
    const after = typeof cursor === 'string' ? nameIn(cursor) : undefined;
    const at = after === undefined ? undefined : this.#indexOf(after);
    if (at === undefined)
      throw new RpcError(invalidParams, 'unknown cursor; read the list again without a cursor');
    // A cursor from an older list may point into the middle of a page. Such pages are not cached.
    return this.#from(at + 1, this.#pages.has(at + 1));
  }

  #indexOf(name: string): number | undefined {
    this.#indexes ??= new Map(this.#items.map((it, at) => [it.name, at]));
    return this.#indexes.get(name);
  }

  #from(first: number, isCached: boolean): Page {
    const known = this.#pages.get(first);
    if (known !== undefined && known !== pending) return known;
    const end = this.#endOf(first);
    const last = this.#items[end - 1];
    const more = end < this.#items.length && last !== undefined;
    const taken = this.#items.slice(first, end);
    const page = {
      items: taken.map((it) => it.text).join(','),
      next: more ? cursorOf(last.name) : undefined,
    };
    if (!isCached) return page;
    this.#pages.set(first, page);
    if (more && !this.#pages.has(end)) this.#pages.set(end, pending);
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

/** Marks a page that follows a cached one and will be cached when it is read. */
const pending: Page = { items: '', next: undefined };

const cursorPrefix = 'after:';

function cursorOf(name: string): string {
  return Buffer.from(cursorPrefix + name).toString('base64url');
}

function nameIn(cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return text.startsWith(cursorPrefix) ? text.slice(cursorPrefix.length) : undefined;
}
