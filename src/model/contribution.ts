import type { Range } from './diagnostic.js';

/**
 * What a finding of the publishing checks means. `reject`: it must not be published. `review`: a person must look first.
 * `warn`: its author should know. `info`: a fact that readers of the verdict need.
 */
export const contributionSeverities = ['reject', 'review', 'warn', 'info'] as const;

export type ContributionSeverity = (typeof contributionSeverities)[number];

/** Which part of the checks found it. */
export const contributionStages = [
  'manifest',
  'source',
  'text',
  'description',
  'model',
  'code',
  'name',
] as const;

export type ContributionStage = (typeof contributionStages)[number];

/** One finding of the publishing checks, as data. */
export interface ContributionFinding {
  /** The permanent name of this kind of finding: a diagnostic code, or `contribute.…`. */
  readonly code: string;
  readonly severity: ContributionSeverity;
  readonly stage: ContributionStage;
  readonly message: string;
  /** Path inside the package. */
  readonly file: string;
  readonly range: Range;
  /** JSON Pointer to the field, if it is in a field. */
  readonly pointer?: string;
  readonly hint?: string;
}

/** Whether a language model read the texts. `failed` is never a pass. */
export type ModelVerdict =
  | { readonly status: 'checked'; readonly model: string; readonly texts: number }
  | { readonly status: 'not-checked' }
  | { readonly status: 'failed'; readonly model: string; readonly reason: string };

export const contributionDecisions = ['pass', 'review', 'reject'] as const;

export type ContributionDecision = (typeof contributionDecisions)[number];

/** The package that was checked. */
export interface ContributedPackage {
  readonly format: string;
  readonly id: string;
  readonly version: string;
  readonly tools: readonly string[];
}

/** The result of the publishing checks: plain data with the same bytes for the same package and rules. */
export interface ContributionVerdict {
  /** Version of the rules. */
  readonly rules: string;
  readonly decision: ContributionDecision;
  /** Null if the manifest has errors. */
  readonly package: ContributedPackage | null;
  /** SHA-256 over the paths and contents of all files, in hex. */
  readonly contentDigest: string;
  readonly files: number;
  readonly model: ModelVerdict;
  /** Sorted by severity, file and place. */
  readonly findings: readonly ContributionFinding[];
}
