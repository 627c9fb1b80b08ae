import type { Json, JsonObject } from '../model/json.js';

/** The manifest of a text as a value for a form; or why no form can show it. */
export type ReadManifest =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly reason: string };

/** The text with another value; or why it has to be changed by hand. */
export type WrittenManifest =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Reads and changes the manifest in a text. What a change does not concern stays as it is, with its comments. */
export interface ManifestEditor {
  read(text: string): ReadManifest;
  write(text: string, value: JsonObject): WrittenManifest;
}

/** What differs at one place; undefined: the member is gone. */
export interface ValueChange {
  readonly path: readonly (string | number)[];
  readonly value: Json | undefined;
}
