/** One step of a change of an installation, as `change@1` reports it. */
export interface ChangeStep {
  readonly name: ChangeStepName;
  readonly status: 'done' | 'skipped' | 'failed' | 'unchanged';
  readonly detail?: string;
}

export type ChangeStepName =
  | 'fetch'
  | 'check'
  | 'agree'
  | 'credentials'
  | 'environment'
  | 'smoke'
  | 'switch'
  | 'lock file'
  | 'kill switch'
  | 'sign out'
  | 'erase'
  | 'clean up';

/** A step that started, or that reports its progress. */
export interface ChangeProgress {
  readonly step: ChangeStepName;
  readonly detail: string;
  readonly bytes?: number;
  readonly totalBytes?: number;
  /** Parts of the step that are done, of `total`. */
  readonly done?: number;
  readonly total?: number;
}

/** What happened to one installed package. */
export interface PackageChange {
  readonly package: string;
  /** `unchanged`: it was exactly this already. No generation was made. */
  readonly operation: 'install' | 'update' | 'unchanged' | 'rollback' | 'revoke' | 'remove' | 'verify';
  readonly from?: GenerationName;
  readonly to?: GenerationName;
  readonly steps: readonly ChangeStep[];
  /** What is left to do by hand; one sentence each. */
  readonly left: readonly string[];
  /** Steps of the kill switch that a person must do, and has not confirmed yet; one sentence each. */
  readonly manualSteps: readonly string[];
}

export interface GenerationName {
  readonly generation: number;
  readonly version: string;
}
