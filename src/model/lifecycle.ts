import type { HeaderTemplate } from './action.js';
import type { Json } from './json.js';
import type { Template } from './template.js';

/** How the package's code gets onto this machine. `bundled`: it is part of the bundle. */
export type InstallPlan =
  | { readonly kind: 'bundled' }
  | { readonly kind: 'pip'; readonly package: string; readonly version?: string }
  | {
      readonly kind: 'npm';
      readonly package: string;
      readonly version?: string;
      /** Packages whose install scripts run. Absent: none. */
      readonly scripts?: readonly string[];
    }
  | { readonly kind: 'git'; readonly url: string; readonly ref: string; readonly subpath?: string }
  | { readonly kind: 'container'; readonly image: string }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly sha256: string;
      /** The file of the bundle that is what the URL leads to. Absent: the bundle does not have it. */
      readonly file?: string;
    }
  /** Files in an object store bucket that the operator configures. */
  | { readonly kind: 'object'; readonly key: string };

/** A value that the result must have at a JSON pointer. */
export interface PointerAssertion {
  readonly pointer: string;
  readonly equals: Json;
}

/** What counts as success of a smoke test. Every member that is present must be true. */
export interface SmokeSuccess {
  readonly exitCode?: number;
  readonly httpStatus?: number;
  readonly stdoutPattern?: string;
  readonly bodyPattern?: string;
  readonly pointers: readonly PointerAssertion[];
  readonly noErrorField: boolean;
}

/** What a smoke test runs or requests. */
export type SmokeCheck =
  | { readonly kind: 'program'; readonly program: string }
  | {
      readonly kind: 'http';
      readonly method: 'GET' | 'POST';
      readonly url: string;
      readonly headers: readonly HeaderTemplate[];
      readonly body?: Template;
    }
  | { readonly kind: 'upstream'; readonly tool: string; readonly arguments: Json }
  | { readonly kind: 'tool'; readonly tool: string; readonly arguments: Json }
  /** The servers of the package start and announce their tools. */
  | { readonly kind: 'start' };

/** A test that shows whether an installation works. */
export interface SmokeTest {
  readonly check: SmokeCheck;
  readonly timeoutSeconds: number;
  readonly success: SmokeSuccess;
}

/** How to revoke access that was granted outside this machine. */
export type KillSwitchPlan =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'program'; readonly program: string }
  | { readonly kind: 'manual'; readonly instructionsUrl: string };

/** What using the package costs. Amounts are US cents. */
export interface Cost {
  readonly installFeeCents?: number;
  readonly monthlyFeeCents?: number;
  readonly usageModel?: 'none' | 'per-call' | 'per-token' | 'external';
  readonly estimateUrl?: string;
}
