import type { TreeFiles } from './tree-file.js';

export interface StoredTree {
  readonly digest: string;
  readonly folder: string;
  readonly bytes: number;
  readonly files: number;
}

/** Immutable trees of files, named by the digest of their names, executable bits and contents. */
export interface ContentStore {
  /** Stores a tree. After a crash at any instant, the whole tree is there or nothing of it. */
  add(files: TreeFiles, options: { readonly signal: AbortSignal }): Promise<StoredTree>;
  has(digest: string): boolean;
  /** The folder of a tree, whether it exists or not. */
  path(digest: string): string;
  /** Throws an `integrity` error that names both digests if the tree was changed. */
  verify(digest: string): Promise<StoredTree>;
  remove(digest: string): Promise<void>;
  /** The digests of all trees. */
  list(): Promise<readonly string[]>;
  /** Removes all other trees, and what a killed process left behind. Returns the digests of the removed trees. */
  sweep(keep: ReadonlySet<string>): Promise<readonly string[]>;
  /** A private folder for downloads on the same file system. Removed by `close`, or by `sweep` after a crash. */
  openStaging(): Promise<StagingFolder>;
}

export interface StagingFolder {
  readonly folder: string;
  close(): Promise<void>;
}
