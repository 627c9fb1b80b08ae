import type { LockedSource } from '../model/source.js';
import type { AcquireOptions, SourceNote } from './source.js';
import type { TreeFiles } from './tree-file.js';

/** A source that was downloaded and verified, but not unpacked yet. */
export interface FetchedSource<Locked extends LockedSource = LockedSource> {
  readonly locked: Locked;
  readonly content:
    | { readonly kind: 'archive'; readonly path: string; readonly withoutTopFolder: boolean }
    | { readonly kind: 'files'; readonly files: TreeFiles };
  readonly notes: readonly SourceNote[];
  /** True: the source names a tag, which should always mean the same. */
  readonly isTag?: boolean;
}

export interface FetchOptions extends AcquireOptions {
  /** A private folder that is removed afterwards. */
  readonly folder: string;
}
