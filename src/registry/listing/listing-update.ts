// Brings a listing to the present state of its registry: reads the new entries of the log, and the parts of the index that
// they changed.

import { indexPath, summariesOf } from '../client/registry-targets.js';
import type { RegistryView } from '../client/registry-view.js';
import { readLogEntry } from '../log/log-entry.js';
import { assertLogGrew } from '../log/log-reader.js';
import { tileWidth } from '../log/log-tiles.js';
import { binOf, tryPackageName } from '../names/package-name.js';
import type { ReleaseSummary } from '../names/release-summary.js';
import { type ListedRelease, releaseAfter } from './listed-release.js';
import type { ListingPosition, ListingStore } from './listing-store.js';

/** Whether anything was new. A listing of another registry, or of an earlier copy of it, is made again. */
export async function updateListing(store: ListingStore, view: RegistryView): Promise<boolean> {
  const old = await store.position();
  const position = positionOf(view);
  if (old !== undefined && old.size === position.size && old.root === position.root) return false;
  const continues = old !== undefined && (await isContinued(old, view));
  const from = continues ? old.size : 0;
  const releases = await releasesAfter(store, view, { from, isNew: !continues });
  const bins = new Set(
    [...releases.values()].flatMap(({ name }) => {
      const parsed = tryPackageName(name);
      return parsed === undefined ? [] : [binOf(parsed.namespace, view.bins)];
    }),
  );
  const names = new Set([...releases.values()].map((it) => it.name));
  await store.apply({
    position,
    isNew: !continues,
    releases: [...releases.values()],
    summaries: await summariesIn(view, bins, names),
  });
  return true;
}

export function positionOf({ head, snapshot }: RegistryView): ListingPosition {
  return {
    size: head.size,
    root: head.root.toString('base64'),
    index: snapshot.document.versions.get('index') ?? 0,
  };
}

async function isContinued(old: ListingPosition, view: RegistryView): Promise<boolean> {
  if (old.size > view.head.size) return false;
  try {
    await assertLogGrew(
      { ...view.head, size: old.size, root: Buffer.from(old.root, 'base64') },
      view.head,
      view.log,
    );
    return true;
  } catch {
    // It is made from the beginning then, from what the registry says now.
    return false;
  }
}

async function releasesAfter(
  store: ListingStore,
  view: RegistryView,
  { from, isNew }: { readonly from: number; readonly isNew: boolean },
): Promise<Map<string, ListedRelease>> {
  const changed = new Map<string, ListedRelease>();
  for (let bundle = Math.floor(from / tileWidth); bundle * tileWidth < view.head.size; bundle++) {
    const entries = await view.log.entries(bundle);
    for (const bytes of entries.slice(Math.max(0, from - bundle * tileWidth))) {
      const entry = readLogEntry(bytes);
      if (entry === undefined || entry.kind === 'keys') continue;
      const key = `${entry.name}@${entry.version}`;
      const old = changed.get(key) ?? (isNew ? undefined : await store.release(entry.name, entry.version));
      const next = releaseAfter(old, entry);
      if (next !== undefined) changed.set(key, next);
    }
  }
  return changed;
}

async function summariesIn(
  view: RegistryView,
  bins: ReadonlySet<string>,
  names: ReadonlySet<string>,
): Promise<ReleaseSummary[]> {
  const index = (await view.delegated('index'))?.document;
  const found: ReleaseSummary[] = [];
  for (const bin of bins) {
    const path = indexPath(bin);
    for (const it of (await summariesOf(view, path, index?.targets[path])).values())
      if (names.has(it.name)) found.push(it);
  }
  return found;
}
