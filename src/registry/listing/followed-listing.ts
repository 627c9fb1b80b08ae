import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { RegistryView } from '../client/registry-view.js';
import { folderTransport } from '../transport/folder-transport.js';
import type { ListingStore } from './listing-store.js';
import { updateListing } from './listing-update.js';

export interface FollowedListingOptions {
  /** Of the registry. */
  readonly folder: string;
  readonly store: ListingStore;
  /** The first root file, which the operator of this server trusts. */
  readonly root: Buffer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How often the folder is looked at, at most. Milliseconds. */
const lookMs = 500;

/** A listing that follows the folder of its registry, also if another program changes it. */
export class FollowedListing {
  readonly #options: FollowedListingOptions;
  #stamp = '';
  #looked = Number.NEGATIVE_INFINITY;
  #view: RegistryView | undefined;
  #update: Promise<void> | undefined;

  constructor(options: FollowedListingOptions) {
    this.#options = options;
  }

  get store(): ListingStore {
    return this.#options.store;
  }

  /** The state that the listing has; undefined: not read yet. */
  get view(): RegistryView | undefined {
    return this.#view;
  }

  /** Brings the listing up to date; `now`: also if it was looked at a moment ago. Throws if the registry cannot be verified; then the listing stays as it was. */
  async refresh({ now: isNow = false }: { readonly now?: boolean } = {}): Promise<void> {
    const now = performance.now();
    if (!isNow && now - this.#looked < lookMs && this.#view !== undefined) return this.#update;
    this.#looked = now;
    const file = join(this.#options.folder, 'metadata', 'timestamp.json');
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined)
      throw new HostError('integrity', `the registry in ${this.#options.folder} has no ${basename(file)}`, {
        hint: 'if it is a copy, copy it again: toolwharf registry mirror FROM TO',
      });
    const stamp = `${stats.mtimeNs} ${stats.ino} ${stats.size}`;
    if (stamp === this.#stamp) return this.#update;
    // One after the other: a later state never comes before an earlier one.
    const earlier = this.#update?.catch(() => {});
    const update = (async () => {
      await earlier;
      const { folder, root, now: time, store } = this.#options;
      const view = await RegistryView.open({
        transport: folderTransport(folder),
        trusted: { root, role: () => undefined },
        now: time(),
        // Readers check that themselves.
        acceptExpired: true,
      });
      await updateListing(store, view);
      this.#view = view;
      this.#stamp = stamp;
    })();
    this.#update = update;
    try {
      await update;
    } finally {
      if (this.#update === update) this.#update = undefined;
    }
  }
}
