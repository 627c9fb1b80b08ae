// What every listing of a registry does, whatever database it is in.
import { describe, expect, test } from 'vitest';
import type { ListedRelease } from '../../../src/registry/listing/listed-release.js';
import type { ListingChange, ListingStore } from '../../../src/registry/listing/listing-store.js';
import type { ReleaseSummary } from '../../../src/registry/names/release-summary.js';

const release = (name: string, version: string, more: Partial<ListedRelease> = {}): ListedRelease => ({
  ...{ name, version, sha256: 'a'.repeat(64), status: 'active', reason: undefined, withdrawal: undefined },
  publishedAt: '2026-11-01T00:00:00Z',
  changedAt: '2026-11-01T00:00:00Z',
  ...more,
});

const summary = (name: string, more: Partial<ReleaseSummary> = {}): ReleaseSummary => ({
  ...{
    name,
    version: '1.0.0',
    title: name,
    description: `What ${name} does.`,
    format: 'patch',
    tags: [],
    tools: [],
  },
  ...more,
});

const change = (size: number, more: Partial<ListingChange> = {}): ListingChange => ({
  position: { size, root: `root ${size}`, index: size },
  isNew: false,
  releases: [],
  summaries: [],
  ...more,
});

export function listingStoreContract(name: string, open: () => Promise<ListingStore>): void {
  describe(name, () => {
    const withStore = async (work: (store: ListingStore) => Promise<void>) => {
      const store = await open();
      try {
        await store.apply(change(0, { isNew: true }));
        await work(store);
      } finally {
        await store.close();
      }
    };
    const names = async (store: ListingStore, words: string, limit = 10) =>
      (await store.search(words, limit)).map((it) => it.summary.name);

    test('knows its position, also when it is opened again', async () => {
      await withStore(async (store) => {
        await store.apply(change(7));
        expect(await store.position()).toEqual({ size: 7, root: 'root 7', index: 7 });
      });
      const again = await open();
      expect((await again.position())?.size).toBe(7);
      await again.close();
    });

    test('ranks the name before tools and the description', async () => {
      await withStore(async (store) => {
        await store.apply(
          change(3, {
            releases: [release('parcel', '1.0.0'), release('post', '1.0.0'), release('shop', '1.0.0')],
            summaries: [
              summary('shop', { description: 'Sells things and sends a parcel.' }),
              summary('post', { tools: ['track_parcel'] }),
              summary('parcel'),
            ],
          }),
        );
        expect(await names(store, 'parcel')).toEqual(['parcel', 'post', 'shop']);
        expect(await names(store, 'PARCÉL', 1)).toEqual(['parcel']);
        expect(await names(store, 'par')).toEqual(['parcel', 'post', 'shop']);
      });
    });

    test('finds packages with all words first, and then those with some', async () => {
      await withStore(async (store) => {
        await store.apply(
          change(2, {
            releases: [release('a', '1.0.0'), release('b', '1.0.0')],
            summaries: [
              summary('a', { description: 'Converts currencies.' }),
              summary('b', { description: 'Converts currencies of yesterday.' }),
            ],
          }),
        );
        expect(await names(store, 'currencies yesterday')).toEqual(['b', 'a']);
        expect(await names(store, 'nothing like that')).toEqual([]);
        expect(await names(store, '')).toEqual([]);
      });
    });

    test('reads words, never operators of its database', async () => {
      await withStore(async (store) => {
        await store.apply(change(1, { releases: [release('a', '1.0.0')], summaries: [summary('a')] }));
        for (const words of [
          '"',
          "'",
          'a" OR "b',
          "a' & 'b",
          'name:a',
          'a*',
          '(((',
          '\\',
          '%',
          'NOT a',
          '<->',
          ':*',
        ])
          expect(Array.isArray(await store.search(words, 5))).toBe(true);
      });
    });

    test('finds no package without an active release, and its latest is the highest that is finished', async () => {
      await withStore(async (store) => {
        const releases = [release('a', '1.9.0'), release('a', '1.10.0'), release('a', '2.0.0-rc.1')];
        await store.apply(change(3, { releases, summaries: [summary('a')] }));
        expect((await store.search('a', 5)).map((it) => it.latest)).toEqual(['1.10.0']);
        await store.apply(
          change(4, { releases: [release('a', '1.10.0', { status: 'quarantined', reason: 'it steals' })] }),
        );
        expect((await store.search('a', 5)).map((it) => it.latest)).toEqual(['1.9.0']);
        await store.apply(
          change(6, {
            releases: ['1.9.0', '2.0.0-rc.1'].map((it) =>
              release('a', it, { status: 'withdrawn', reason: 'old' }),
            ),
          }),
        );
        expect(await store.search('a', 5)).toEqual([]);
        expect((await store.release('a', '1.10.0'))?.reason).toBe('it steals');
        const both = release('a', '1.10.0', {
          status: 'quarantined',
          reason: 'it steals',
          withdrawal: 'old',
        });
        await store.apply(change(7, { releases: [both] }));
        expect(await store.release('a', '1.10.0')).toEqual(both);
      });
    });

    test('a page goes on where the one before ended, and filters combine', async () => {
      await withStore(async (store) => {
        const releases = ['beta/one', 'alpha', 'beta/two'].flatMap((it, index) => [
          release(it, '1.0.0', { changedAt: `2026-11-0${index + 1}T00:00:00Z` }),
          release(it, '1.1.0', { changedAt: `2026-11-0${index + 4}T00:00:00Z` }),
        ]);
        await store.apply(change(6, { releases, summaries: [summary('alpha')] }));
        const first = await store.releases({ limit: 4 });
        expect(first.map((it) => `${it.release.name}@${it.release.version}`)).toEqual([
          'alpha@1.0.0',
          'alpha@1.1.0',
          'beta/one@1.0.0',
          'beta/one@1.1.0',
        ]);
        const { name, version } = (first.at(-1) as (typeof first)[number]).release;
        const rest = await store.releases({ limit: 4, after: { name, version } });
        expect(rest.map((it) => it.release.name)).toEqual(['beta/two', 'beta/two']);
        expect(first.map((it) => it.isLatest)).toEqual([false, true, false, true]);
        expect(first.map((it) => it.summary?.title)).toEqual(['alpha', 'alpha', undefined, undefined]);
        const latest = await store.releases({ limit: 9, version: 'latest', nameContains: 'BETA' });
        expect(latest.map((it) => it.release.name)).toEqual(['beta/one', 'beta/two']);
        const changed = await store.releases({ limit: 9, changedSince: '2026-11-05T00:00:00Z' });
        expect(changed.map((it) => it.release.name)).toEqual(['beta/two']);
        expect(await store.releases({ limit: 9, version: '9.9.9' })).toEqual([]);
        const own = await store.releases({ limit: 9, serverName: 'alpha/alpha' });
        expect(own.map((it) => it.release.name)).toEqual(['alpha', 'alpha']);
        expect(await store.releases({ limit: 9, nameContains: '%' })).toEqual([]);
      });
    });

    test('a new registry at the same place replaces everything', async () => {
      await withStore(async (store) => {
        await store.apply(change(1, { releases: [release('a', '1.0.0')], summaries: [summary('a')] }));
        await store.apply(
          change(1, { isNew: true, releases: [release('b', '1.0.0')], summaries: [summary('b')] }),
        );
        expect((await store.releases({ limit: 9 })).map((it) => it.release.name)).toEqual(['b']);
        expect(await names(store, 'a')).toEqual([]);
      });
    });
  });
}
