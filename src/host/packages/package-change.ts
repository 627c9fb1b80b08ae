import type { CancelSignal } from '../../model/cancel-signal.js';
import type { TextDifference } from '../../policy/review/visible-text.js';

/** A change of a package, as shown to a person for review. */
export interface PackageReview {
  readonly package: string;
  readonly path: string;
  /** Digest of the accepted state; absent for a package that is new in a known folder. */
  readonly from?: string;
  /** Digest of the current state. */
  readonly to: string;
  /** What it may do now that it could not do before; one sentence each. */
  readonly widened: readonly string[];
  /** Changed text that models or people read; one sentence each, with the old and the new text. */
  readonly reworded: readonly string[];
  /** The texts that models or people read and that differ, old and new. */
  readonly texts: readonly TextDifference[];
  /** What it may no longer do; one sentence each. */
  readonly narrowed: readonly string[];
}

/** Options of `session.install`. */
export interface InstallOptions {
  readonly signal?: CancelSignal | undefined;
  /** Called at the start of each step, if the host is in this process. */
  readonly onStep?: ((name: string) => void) | undefined;
  /** Only report what is needed; fetch nothing. */
  readonly dryRun?: boolean | undefined;
}

/** One step of an installation. */
export interface InstallStep {
  readonly name: string;
  readonly status: 'done' | 'already installed' | 'needed';
  readonly detail?: string;
}

/** What was installed, or what is needed with `dryRun`. */
export interface InstallResult {
  readonly package: string;
  readonly steps: readonly InstallStep[];
}
