import type { ReleaseSummary } from '../names/release-summary.js';
import type { ListedRelease } from './listed-release.js';

/** How much of a registry a listing contains. */
export interface ListingPosition {
  /** Entries of the log. */
  readonly size: number;
  /** Root of the log at this size, in Base64. Another root at the same size is another registry. */
  readonly root: string;
  /** The version of the file with the index. */
  readonly index: number;
}

export interface ListingChange {
  readonly position: ListingPosition;
  /** Whether everything that was there before is removed. */
  readonly isNew: boolean;
  /** Releases as they are now. */
  readonly releases: readonly ListedRelease[];
  readonly summaries: readonly ReleaseSummary[];
}

export interface ListedPackage {
  readonly summary: ReleaseSummary;
  /** The version that people get who name none. */
  readonly latest: string;
}

export interface ReleaseQuery {
  readonly limit: number;
  /** Where the page before ended. */
  readonly after?: { readonly name: string; readonly version: string } | undefined;
  /** A part of the name; case does not count. */
  readonly nameContains?: string | undefined;
  /** ISO 8601, UTC. */
  readonly changedSince?: string | undefined;
  /** `latest`, or exactly this version. */
  readonly version?: string | undefined;
  /** Default: those of all packages. */
  readonly name?: string | undefined;
  /** The same by the name that the API of the official MCP registry uses. */
  readonly serverName?: string | undefined;
  /** Whether releases under quarantine are included. Default: true. */
  readonly withQuarantined?: boolean | undefined;
}

/** One release with what its package says about itself. */
export interface ReleaseRow {
  readonly release: ListedRelease;
  readonly isLatest: boolean;
  /** Of the newest release of the package. Undefined: the index does not have it. */
  readonly summary: ReleaseSummary | undefined;
}

/** The searchable listing of one registry. Both databases answer the same. */
export interface ListingStore {
  /** Undefined: empty. */
  position(): Promise<ListingPosition | undefined>;
  /** All or nothing. */
  apply(change: ListingChange): Promise<void>;
  release(name: string, version: string): Promise<ListedRelease | undefined>;
  /** Best first. Packages without an active release are not found. */
  search(words: string, limit: number): Promise<readonly ListedPackage[]>;
  /** By name, then by version as text. */
  releases(query: ReleaseQuery): Promise<readonly ReleaseRow[]>;
  close(): Promise<void>;
}
