/** The result of reading one path of a bundle. `rejected`: `detail` is a sentence that says why. */
export type BundleEntry =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason; readonly detail: string };

/** Why a path of a bundle cannot be read. */
export type RejectionReason = 'unreadable' | 'not-regular' | 'link-escape' | 'too-large';

/**
 * The files of one package, read-only and limited in size. Paths are relative to the bundle's root and use forward
 * slashes. Reading is synchronous so that format parsers can be plain functions.
 */
export interface Bundle {
  /** Path of the manifest, relative to the root. */
  readonly manifest: string;
  /** Name of the folder that is the bundle's root. Empty if it has none, such as the root of an archive. */
  readonly folder: string;
  read(path: string): BundleEntry;
  /** SHA-256 of a file, in hex; undefined if it cannot be read. Without it, declared digests are not compared. */
  digest?(path: string): string | undefined;
  /** Paths of all files, sorted. */
  files(): readonly string[];
  /** The path in the form that messages use. */
  display(path: string): string;
}
