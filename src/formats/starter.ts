/** One file of a new package made by `toolwharf init`. Paths are relative to the new folder. */
export interface StarterFile {
  readonly path: string;
  readonly text: string;
}
