import type { Bundle } from './bundle.js';
import type { Diagnostic, Range } from './diagnostic.js';
import type { Json, JsonObject } from './json.js';
import type { Package } from './package.js';

/** A file that could be a manifest. */
export interface Candidate {
  /** Name of the file with up to two parent folders, such as `tools/weather/manifest.json`. */
  readonly path: string;
  /** The file's text, decoded on first use. Empty when it cannot be read. */
  text(): string;
  /** Whether the same folder has a file of this name. Absent when the candidate is not on a disk. */
  hasSibling?(name: string): boolean;
}

/** A format's statement that a file is one of its manifests, and which files belong to the package. */
export interface Claim {
  /** `file`: the bundle is this one file. `folder`: the bundle is a folder; see `levelsUp`. */
  readonly scope: 'file' | 'folder';
  /** The bundle's root: 0 is the folder that contains the file, 1 is that folder's parent. */
  readonly levelsUp: 0 | 1;
}

/** Properties of the host that some format rules need. */
export interface ParseOptions {
  /** Version of the host that manifests with a minimum version are compared with. */
  readonly agentVersion: string;
  /** Package ids that the host uses itself. */
  readonly reservedIds: readonly string[];
}

/** A package, or the diagnostics that say why there is none. */
export interface ParseResult {
  /**
   * Absent when the manifest has errors, except for those that `unmet` describes. With `file.sha256` there is a package,
   * which the host does not run.
   */
  readonly package?: Package;
  readonly diagnostics: readonly Diagnostic[];
  /** What the manifest needs and this host does not have, one sentence each. The package cannot run here. */
  readonly unmet?: readonly string[];
}

/** The fields of a manifest with their places, whether or not they are valid. */
export interface ManifestFields {
  /** Undefined if the syntax has errors that prevent parsing. */
  readonly value: Json | undefined;
  /** The range of a field, or of its name. */
  locate(path: readonly (string | number)[], spot?: 'key' | 'value'): Range;
}

/** The parser of one manifest format. It is pure and never throws, whatever the bytes are. */
export interface FormatParser {
  /** The published JSON Schema of the format's manifests. */
  readonly schema: JsonObject;
  parse(bundle: Bundle, options: ParseOptions): ParseResult;
  /** All fields that a manifest's text contains, for checks that are the same for every format. */
  readFields(text: string): ManifestFields;
}

/** A format with its parser. */
export interface Format<Name extends string = string> extends FormatParser {
  readonly name: Name;
  /** Null: the file is not a manifest of this format. */
  claim(candidate: Candidate): Claim | null;
}
