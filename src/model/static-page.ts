/** The static page of a package, with the files of its folder as they were accepted. */
export interface StaticPage {
  /** Path of the page in `files`. */
  readonly start: string;
  /** By path, relative to the folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}
