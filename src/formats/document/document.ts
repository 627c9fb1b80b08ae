import type { DiagnosticCode } from '../../model/codes.js';
import type { Range } from '../../model/diagnostic.js';
import type { Json, JsonPath } from '../../model/json.js';

/** A problem of notation, at offsets of the text. */
export interface SyntaxProblem {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
}

/** `key`: the name of a member. `value`: what it holds. */
export type Spot = 'key' | 'value';

/** A value read from text, with the place of each of its parts on demand. */
export interface Document {
  /** Undefined when the text could not be read. */
  readonly value: Json | undefined;
  readonly problems: readonly SyntaxProblem[];
  /** The place of a path; where it does not exist, the nearest thing around it that does. */
  locate(path: JsonPath, spot?: Spot): Range;
  /** The characters a scalar was written with; undefined where there is none. */
  source(path: JsonPath): string | undefined;
}

/** Limits for all notations. */
export const maxBytes = 1024 * 1024;
export const maxDepth = 64;
export const maxValues = 100_000;
