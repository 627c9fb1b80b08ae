import type { Bundle } from './bundle.js';
import type { Diagnostic } from './diagnostic.js';
import type { Package } from './package.js';

export const formatNames = ['patch', 'talos', 'toolspace', 'findagent', 'nexo'] as const;

export type FormatName = (typeof formatNames)[number];

/** A file that may be a manifest. */
export interface Candidate {
  /** Name of the file and of up to two folders above it, such as `.findagent/manifest.json`. */
  readonly path: string;
  /** Decoded on first use; empty when it cannot be read as text. */
  text(): string;
  /** Whether a file of that name lies beside it; unknown where the candidate is not on a disk. */
  beside?(name: string): boolean;
}

/** A front end's claim on a file. */
export interface Claim {
  /** `file`: the bundle is this one file. `folder`: the folder that is `up` levels above the file. */
  readonly scope: 'file' | 'folder';
  readonly up: 0 | 1;
}

/** What the host says of itself to the rules that ask for it. */
export interface ParseOptions {
  readonly agentVersion: string;
  readonly reservedIds: readonly string[];
}

export interface ParseResult {
  /** Absent when an error stands in the way of understanding the manifest. */
  readonly package?: Package;
  readonly diagnostics: readonly Diagnostic[];
}

/** A front end. Pure, and it never throws, whatever the bytes. */
export interface Format {
  readonly name: FormatName;
  /** Null: not a manifest of this format. */
  claim(candidate: Candidate): Claim | null;
  parse(bundle: Bundle, options: ParseOptions): ParseResult;
}
