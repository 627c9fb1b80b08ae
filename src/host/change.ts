import type { Signal } from '../model/signal.js';

/** A change of a package as a person is asked to judge it. */
export interface Review {
  readonly package: string;
  readonly path: string;
  /** Digest that was agreed to; absent for a package that is new in a known folder. */
  readonly from?: string;
  /** Digest of what is there now. */
  readonly to: string;
  /** What it may do now that it could not before, a sentence each. */
  readonly widened: readonly string[];
  /** What models and people read differently now, a sentence each with the old text and the new. */
  readonly reworded: readonly string[];
  /** What it gave up. */
  readonly narrowed: readonly string[];
}

export interface InstallOptions {
  readonly signal?: Signal | undefined;
  /** Told of each step as it begins. */
  readonly onStep?: ((name: string) => void) | undefined;
  /** Only say what is needed; fetch nothing. */
  readonly dryRun?: boolean | undefined;
}

export interface ChangeStep {
  readonly name: string;
  readonly status: 'done' | 'there already' | 'needed';
  readonly detail?: string;
}

export interface Change {
  readonly package: string;
  readonly steps: readonly ChangeStep[];
}
