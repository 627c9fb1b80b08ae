/** What is at a path of a bundle. `refused` carries a sentence that says why. */
export type BundleEntry =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly reason: BundleRefusal; readonly detail: string };

export type BundleRefusal = 'unreadable' | 'not-regular' | 'link-escape' | 'too-large';

/**
 * The files of one package as they came, read-only and size-capped. Paths are relative to its root, with
 * forward slashes. Reading is synchronous so that front ends stay plain functions.
 */
export interface Bundle {
  /** Bundle-relative path of the manifest. */
  readonly manifest: string;
  /** Name of the folder that is the bundle's root. */
  readonly folder: string;
  read(path: string): BundleEntry;
  /** All files, sorted. */
  files(): readonly string[];
  /** How a path is shown to people. */
  display(path: string): string;
}
