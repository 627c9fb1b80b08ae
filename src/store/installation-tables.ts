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
  created_at: number;
  created_by: string;
}

export interface InstallationTable {
  package: string;
  current: number;
  state: string;
  root: string | null;
  installed_at: number;
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
