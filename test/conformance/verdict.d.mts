export interface Check {
  readonly id: string;
  readonly status: string;
}

export interface Sorted {
  readonly passed: readonly string[];
  readonly missed: readonly string[];
}

export interface Run extends Sorted {
  readonly revision: string;
  readonly scenario: string;
}

export interface Failure {
  readonly scenario: string;
  readonly checks: readonly string[];
  readonly revisions: readonly string[];
  readonly reason: string;
}

export interface Expected {
  readonly failures: readonly Failure[];
  readonly scenarios: Readonly<Record<string, number>>;
}

export interface Total {
  readonly revision: string;
  readonly scenarios: number;
  readonly passed: number;
  readonly checks: number;
  readonly missed: number;
}

export declare const nothing: string;
export declare function sortChecks(checks: readonly Check[]): Sorted;
export declare function compare(
  runs: readonly Run[],
  expected: Expected,
): { readonly unexpected: string[]; readonly stale: string[]; readonly miscounted: string[] };
export declare function totals(runs: readonly Run[]): Total[];
