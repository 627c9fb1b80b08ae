import { SearchIndex } from './search-index.js';
import type { Searchable } from './searchable.js';

/** Milliseconds. After this time other work gets its turn. */
const sliceMs = 3;
/** How many tools are added before the time is looked at. */
const step = 8;

/** Builds an index in short slices, so that a large catalog does not block other requests. */
export async function buildSearchIndex<I, T extends Searchable>(
  items: readonly I[],
  searchable: (item: I) => T,
): Promise<SearchIndex<T>> {
  const index = new SearchIndex<T>();
  let began = performance.now();
  for (let at = 0; at < items.length; at++) {
    index.add(searchable(items[at] as I));
    if (at % step !== 0 || performance.now() - began < sliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
  return index;
}
