import type { Diagnostic } from '../../model/diagnostic.js';
import type { JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';

/** One file of a package that is being written. The path is relative to its folder. */
export interface DraftFile {
  readonly path: string;
  readonly text: string;
}

/** A package that is being written. Nothing of it is on the disk. */
export interface ManifestDraft {
  /** Such as `patch`. */
  readonly format: string;
  /** Path of the manifest. */
  readonly manifest: string;
  readonly files: readonly DraftFile[];
}

/** What is wrong with a draft, and what it means. */
export interface CheckedDraft {
  readonly diagnostics: readonly Diagnostic[];
  /** Null if the manifest has errors. */
  readonly package: Package | null;
}

/** The manifest of a draft as a value. Null: a form cannot show it, and `reason` says why. */
export interface ReadDraft {
  readonly value: JsonObject | null;
  readonly reason: string | null;
}

/** The text of a manifest with another value. Null: it has to be changed in the text, and `reason` says why. */
export interface WrittenDraft {
  readonly text: string | null;
  readonly reason: string | null;
}

/** The files of a package of a session, to begin another one with. */
export interface PackageSource extends ManifestDraft {
  /** Paths of files that are not text, or too large. */
  readonly leftOut: readonly string[];
}

/** Helps to write manifests. Nothing is stored, accepted or started. */
export interface Manifests {
  /** The formats, with the JSON Schema of their manifests. */
  formats(): Promise<readonly { readonly name: string; readonly schema: JsonObject }[]>;
  /** A working package to start from. `name`: lower-case letters, digits and hyphens. */
  start(format: string, name: string): Promise<ManifestDraft>;
  /** Checks a draft as `validate` checks files. */
  check(draft: ManifestDraft): Promise<CheckedDraft>;
  /** The manifest in the text of a manifest file, as a value. */
  read(format: string, text: string): Promise<ReadDraft>;
  /** The text with another value. What the change does not concern stays as it is, with its comments. */
  write(format: string, text: string, value: JsonObject): Promise<WrittenDraft>;
}
