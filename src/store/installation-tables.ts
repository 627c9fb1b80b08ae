// The tables of installed packages.

/** One version of an installed package. Columns without a comment are as in `Generation`. */
export interface GenerationTable {
  package: string;
  number: number;
  version: string;
  source: string;
  /** As JSON. */
  locked: string;
  tree: string;
  manifest: string;
  digest: string;
  plan: string;
  /** As JSON. */
  lock: string;
  /** Lists as JSON. */
  grants: string;
  environments: string;
  images: string;
  /** What was accepted, as JSON: the request and the text of the package. */
  agreement: string;
  /** As JSON. */
  smoke: string;
  /** As JSON. */
  trial: string | null;
  created_at: number;
  created_by: string;
}

export interface InstallationTable {
  package: string;
  current: number;
  state: string;
  /** Absolute paths as JSON; null: all workspaces. */
  root: string | null;
  installed_at: number;
}

/** Something that a program did against its grant. */
export interface ViolationTable {
  package: string;
  kind: string;
  detail: string;
  count: number;
  first_at: number;
  last_at: number;
}

/** A package that was revoked and not installed again. */
export interface RevokedPackageTable {
  package: string;
  at: number;
  by: string;
}

/** What a registry said against an installed release. */
export interface ReleaseWarningTable {
  name: string;
  version: string;
  sha256: string;
  registry: string;
  kind: string;
  reason: string;
  seen_at: number;
}

/** An unfinished change of an installation. */
export interface ChangeJournalTable {
  id: string;
  package: string;
  operation: string;
  /** What it has made so far, as JSON. */
  made: string;
  at: number;
}

/** A package that an agent asked for. Columns without a comment are as in `RequestedInstallation`. */
export interface RequestedInstallationTable {
  id: string;
  source: string;
  reason: string;
  /** Where the session had seen the source; null: nowhere. */
  seen_in: string | null;
  principal: string;
  client: string;
  root: string;
  created_at: number;
  expires_at: number;
  state: string;
  /** Who refused or installed it, and when. */
  decided_at: number | null;
  decided_by: string | null;
  note: string | null;
  package: string | null;
  plan: string | null;
}

/** What the operator narrowed a package to. Columns without a comment are as in `Narrowing`. */
export interface NarrowingTable {
  package: string;
  /** List as JSON. Null: not narrowed. */
  network: string | null;
  /** List as JSON. */
  grants: string;
  no_writing: number;
  at: number;
  by: string;
}

/** A package whose changes of files are watched until a time. */
export interface WatchedPackageTable {
  package: string;
  since: number;
  until: number;
}
