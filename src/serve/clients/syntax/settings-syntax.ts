import type { Json } from '../../../model/json.js';

/** A member of an object, or the element of a list with that `name`. */
export type SettingsStep = string | { readonly named: string };

export type SettingsPath = readonly SettingsStep[];

/** How the configuration file of a client is written. Edits change one value; the rest of the text stays as it is. */
export interface SettingsSyntax {
  readonly title: 'JSON' | 'TOML' | 'YAML';
  /** The value at a path; undefined if there is none. Throws `SettingsProblem` if the text cannot be parsed. */
  find(text: string, path: SettingsPath): Json | undefined;
  /** Adds or replaces the value at a path, in a text that `find` accepts. */
  set(text: string, path: SettingsPath, value: Json): string;
  /** Removes the value at a path. */
  remove(text: string, path: SettingsPath): string;
}

/** Why a configuration file cannot be read or edited, with the place. */
export class SettingsProblem extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, { line, column }: { readonly line: number; readonly column: number }) {
    super(message);
    this.line = line;
    this.column = column;
  }
}
