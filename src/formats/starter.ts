/** One file of a new package that `toolwharf init` creates. The path is relative to the new folder. */
export interface StarterFile {
  readonly path: string;
  readonly text: string;
}

/** Lower case without accents, so that more of a name survives as an id. */
export function foldedName(name: string): string {
  return name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
}

/** What a new package may rely on. */
export interface StarterMachine {
  /** Such as `3.11`: the Python that its tools would run with. Undefined if there is none. */
  readonly python?: string | undefined;
}

/** The files of a new package. `name`: lower case with hyphens, made from the name of the folder. */
export type Starter = (name: string, folder: string, machine: StarterMachine) => readonly StarterFile[];
