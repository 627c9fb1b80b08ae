import { SearchIndex } from './search-index.js';
import type { Searchable } from './searchable.js';

/** Milliseconds. After this time other work gets its turn. */
const sliceMs = 3;
/** How many tools are added before the time is looked at. */
const step = 8;

/** Builds an index in short slices, so that a large catalog does not block other requests. `isFound`: which items to add. */
export async function buildSearchIndex<I, T extends Searchable>(
  items: readonly I[],
  searchable: (item: I) => T,
  isFound: (item: I) => boolean = () => true,
): Promise<SearchIndex<T>> {
  const index = new SearchIndex<T>();
  let began = performance.now();
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as I;
    if (isFound(item)) index.add(searchable(item));
    if (at % step !== 0 || performance.now() - began < sliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
  return index;
}
