import type { ContributionVerdict } from './contribution.js';

/** A person's decision about a package that needed one. */
export interface ReviewDecision {
  readonly decision: 'approved' | 'rejected';
  readonly reviewer: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly note?: string;
}

/** A package that waits for a person, or about which one decided. */
export interface ReviewEntry {
  /** The first characters of the archive's hash. */
  readonly id: string;
  /** SHA-256 of the archive, in hex. */
  readonly sha256: string;
  /** Who wants to publish it. */
  readonly publisher: string;
  /** ISO 8601, UTC. */
  readonly submittedAt: string;
  readonly verdict: ContributionVerdict;
  /** Absent while it waits. */
  readonly review?: ReviewDecision;
}

/** Packages that wait for a person. */
export interface ReviewQueue {
  /** Oldest first. */
  list(): Promise<readonly ReviewEntry[]>;
  /** By its id or a unique beginning of it; throws a `HostError` if there is none or more than one. */
  find(id: string): Promise<ReviewEntry>;
  /** Adds a package; the same archive again is the entry that it has. */
  submit(entry: Omit<ReviewEntry, 'id' | 'review'>, archive: Uint8Array): Promise<ReviewEntry>;
  /** Once. A second decision throws. */
  decide(id: string, review: ReviewDecision): Promise<ReviewEntry>;
  /** The bytes that were submitted; throws if they changed since. */
  archive(id: string): Promise<Uint8Array>;
}
