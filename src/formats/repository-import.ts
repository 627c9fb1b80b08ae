import type { JsonObject } from '../model/json.js';

export interface RepositoryFiles {
  /** A name for the bundle, such as that of the repository. */
  readonly name: string;
  /** The version that the manifest gets. Default: none. */
  readonly version?: string | undefined;
  /** Paths of all files, with forward slashes. */
  readonly paths: readonly string[];
  /** The text of a file; undefined if it is not text. */
  read(path: string): string | undefined;
}

export interface ImportedBundle {
  readonly manifest: JsonObject;
  /** Files that are added to those of the repository: the manifest, and skills at the places where they are looked for. */
  readonly added: readonly { readonly path: string; readonly text: string }[];
  readonly skills: number;
}

/** Makes a bundle from a repository without a manifest. Undefined if the repository has nothing for this format. */
export type RepositoryImporter = (files: RepositoryFiles) => ImportedBundle | undefined;
