import type { QuarantinedRelease } from '../names/quarantine-list.js';
import type { ReleaseRecord } from '../names/release-record.js';

/** What a verified state of a registry says about releases, as far as it was read. */
export interface ReleaseStatements {
  /** All releases of a namespace. */
  readonly releases?: readonly ReleaseRecord[];
  readonly quarantine?: {
    /** Of the signed list; empty if there is none. */
    readonly sha256: string;
    readonly releases: readonly QuarantinedRelease[];
  };
}

/** A release by its name and its content. */
export interface NamedRelease {
  readonly name: string;
  readonly version: string;
  /** Of its archive. */
  readonly sha256: string;
}

/** What speaks against a release. Empty: nothing. */
export interface SaidOfRelease {
  /** Why its publisher withdrew it. */
  readonly yanked?: string;
  /** Why the registry warns about it. */
  readonly quarantined?: string;
}
