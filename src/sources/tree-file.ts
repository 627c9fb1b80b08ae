/** One file on its way into the content store. */
export interface TreeFile {
  /** Relative, with forward slashes, checked by `checkedPath`. */
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: Uint8Array;
}

export type TreeFiles = AsyncIterable<TreeFile> | Iterable<TreeFile>;
