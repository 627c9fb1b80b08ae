import type { HeaderTemplate } from './action.js';
import type { Json } from './json.js';
import type { Template } from './template.js';

/** How the files that run come to this machine. `bundled`: they are in the bundle. */
export type InstallPlan =
  | { readonly kind: 'bundled' }
  | { readonly kind: 'pip'; readonly package: string; readonly version?: string }
  | { readonly kind: 'npm'; readonly package: string; readonly version?: string }
  | { readonly kind: 'git'; readonly url: string; readonly ref: string; readonly subpath?: string }
  | { readonly kind: 'container'; readonly image: string }
  | { readonly kind: 'url'; readonly url: string; readonly sha256: string }
  /** Files kept in a bucket that the operator configures. */
  | { readonly kind: 'object'; readonly key: string };

export interface PointerAssertion {
  readonly pointer: string;
  readonly equals: Json;
}

/** All members present must hold. */
export interface SmokeSuccess {
  readonly exitCode?: number;
  readonly httpStatus?: number;
  readonly stdoutPattern?: string;
  readonly bodyPattern?: string;
  readonly pointers: readonly PointerAssertion[];
  readonly noErrorField: boolean;
}

/** How an installation proves that it works. */
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
  | { readonly kind: 'tool'; readonly tool: string; readonly arguments: Json };

export interface Smoke {
  readonly check: SmokeCheck;
  readonly timeoutSeconds: number;
  readonly success: SmokeSuccess;
}

/** How access that was given outside this machine is taken back. */
export type KillSwitch =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'program'; readonly program: string }
  | { readonly kind: 'manual'; readonly instructionsUrl: string };

/** Money in US cents. */
export interface Cost {
  readonly installFeeCents?: number;
  readonly monthlyFeeCents?: number;
  readonly usageModel?: 'none' | 'per-call' | 'per-token' | 'external';
  readonly estimateUrl?: string;
}
