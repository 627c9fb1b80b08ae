// The package registries of a session: what they have, and what waits there for a person. host.ts exports these types.
import type { CancelSignal } from '../../model/cancel-signal.js';
import type { ContributionVerdict } from '../../model/contribution.js';
import type { Actor } from '../operator/operator-auth.js';

/** The registries that the operator configured. Only what a registry signed is returned. */
export interface Registries {
  /** By priority. Reads the newest state of each. */
  list(options?: RegistryReading): Promise<readonly RegistryStatus[]>;
  /** Packages by words, the best first. A registry that cannot be asked is in `problems`. */
  search(request: RegistrySearch): Promise<RegistrySearchResult>;
  /** All releases of a package, in the registry that its name means. */
  info(request: RegistryPackageRequest): Promise<RegistryPackage>;
  /** Packages that wait for a person before they are published. Only of registries in a folder of this machine. */
  reviews(options?: RegistryReading): Promise<PublicationReviews>;
  /** Decides about one of them, once. Approving needs the PIN, once it is set. */
  decideReview(request: ReviewDecisionRequest): Promise<DecidedReview>;
}

export interface RegistryReading {
  readonly signal?: CancelSignal | undefined;
}

export interface RegistryStatus {
  readonly name: string;
  /** Null: it is a folder. */
  readonly url: string | null;
  /** Null: it has a URL. */
  readonly path: string | null;
  /** Higher first. */
  readonly priority: number;
  /** Namespaces that are looked up only here. */
  readonly namespaces: readonly string[];
  /** The newest head of its transparency log that this machine has seen. Null: none yet. */
  readonly head: SeenLogHead | null;
  /** Its files that are used although they have expired. */
  readonly expired: readonly string[];
  /** Why it cannot be used now. Null: it can. */
  readonly problem: string | null;
}

export interface SeenLogHead {
  /** Entries in the log. */
  readonly size: number;
  /** Hash of the tree, in hex. */
  readonly root: string;
  /** ISO 8601, UTC. */
  readonly seenAt: string;
}

export interface RegistrySearch extends RegistryReading {
  readonly words: string;
  /** Default: 20. */
  readonly limit?: number | undefined;
}

export interface RegistrySearchResult {
  readonly found: readonly RegistrySearchHit[];
  readonly problems: readonly RegistryProblem[];
}

/** What the publisher says about the newest release of a package. */
export interface RegistryPackageSummary {
  readonly title: string;
  readonly description: string;
  readonly format: string;
  readonly tags: readonly string[];
  readonly tools: readonly string[];
}

export interface RegistrySearchHit extends RegistryPackageSummary {
  readonly registry: string;
  /** NAMESPACE/NAME. */
  readonly name: string;
  readonly version: string;
  /** Why its publisher withdrew it. Null: not withdrawn. */
  readonly withdrawn: string | null;
  /** Why the registry warns about it. Null: it does not. */
  readonly quarantined: string | null;
}

export interface RegistryProblem {
  readonly registry: string;
  readonly message: string;
}

export interface RegistryPackageRequest extends RegistryReading {
  /** NAMESPACE/NAME. */
  readonly name: string;
}

export interface RegistryPackage {
  readonly registry: string;
  readonly name: string;
  /** Null: the search index of the registry does not have the package. */
  readonly summary: RegistryPackageSummary | null;
  /** Newest first. */
  readonly releases: readonly RegistryPackageRelease[];
  /** Files of the registry that are used although they have expired. */
  readonly expired: readonly string[];
}

export interface RegistryPackageRelease {
  readonly version: string;
  readonly bytes: number;
  /** Of its archive, in hex. */
  readonly sha256: string;
  readonly withdrawn: string | null;
  readonly quarantined: string | null;
  /** Whether there are signed statements about it. */
  readonly hasStatements: boolean;
}

export interface PublicationReviews {
  /** The registries whose queue this host can read. */
  readonly registries: readonly string[];
  /** Those that wait, oldest first. */
  readonly waiting: readonly PublicationReview[];
  readonly problems: readonly RegistryProblem[];
}

/** A package that waits for a person before it is published. */
export interface PublicationReview {
  readonly registry: string;
  readonly id: string;
  /** Of the archive that was checked, in hex. */
  readonly sha256: string;
  readonly publisher: string;
  /** ISO 8601, UTC. */
  readonly submittedAt: string;
  readonly verdict: ContributionVerdict;
}

export interface ReviewDecisionRequest {
  readonly registry: string;
  readonly id: string;
  /** `sha256` of the review, so that the decision is about exactly what the person saw. */
  readonly sha256: string;
  readonly decision: 'approved' | 'rejected';
  /** At most 500 characters. The publisher gets it. */
  readonly note?: string | undefined;
  readonly by: Actor;
}

export interface DecidedReview {
  readonly registry: string;
  readonly id: string;
  readonly decision: 'approved' | 'rejected';
  readonly reviewer: string;
}
