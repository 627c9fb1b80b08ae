/** One file of a new package that `toolwharf init` creates. The path is relative to the new folder. */
export interface StarterFile {
  readonly path: string;
  readonly text: string;
}
