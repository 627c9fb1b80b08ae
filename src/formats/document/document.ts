import type { CommonCode } from '../../model/codes.js';
import type { Range } from '../../model/diagnostic.js';
import type { Json, JsonPath } from '../../model/json.js';
import type { JsonLimits } from '../../model/json-bounds.js';

/** A syntax error at offsets of the text. */
export interface SyntaxProblem {
  readonly code: CommonCode;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
}

/** Which part of an object member is meant: its name or its value. */
export type Spot = 'key' | 'value';

/** A parsed text. Positions of its parts are computed on demand. */
export interface Document {
  /** Undefined when the text has syntax errors that prevent parsing. */
  readonly value: Json | undefined;
  readonly problems: readonly SyntaxProblem[];
  /** The range of the value at a path. If it does not exist, the range of the nearest parent that does. */
  locate(path: JsonPath, spot?: Spot): Range;
  /** The source text of a scalar; undefined if there is none at the path. */
  source(path: JsonPath): string | undefined;
}

/** Limits for JSON, YAML and TOML. */
export const maxBytes = 1024 * 1024;
export const maxDepth = 64;
export const maxValues = 100_000;

/**
 * The limits of JSON before it is parsed. The size is limited where the file is read. There are at most two
 * brackets, commas or colons for each key and each value.
 */
export const manifestLimits: JsonLimits = {
  bytes: Number.POSITIVE_INFINITY,
  depth: maxDepth,
  values: 2 * maxValues,
};
