import type { Cost } from './lifecycle.js';
import type { PermissionScope } from './permissions.js';
import type { SandboxLevel } from './sandbox-level.js';

/** What an installation or update would do, as data (`plan@1`). Making it changes nothing. */
export interface Plan {
  readonly operation: 'install' | 'update' | 'unchanged';
  /** The source as it was written. */
  readonly source: string;
  /** What the source is exactly: a commit, a version, a hash. */
  readonly resolved: string;
  readonly package: PlannedPackage;
  /** Digest of everything that an agreement covers: files, lock, permissions and grants. */
  readonly digest: string;
  /** The generation that is served now. */
  readonly from?: { readonly generation: number; readonly version: string };
  readonly files: { readonly tree: string; readonly count: number; readonly bytes: number };
  /** What runs on this machine or answers for it; one line each. */
  readonly programs: readonly string[];
  /** Interpreters of this machine that its programs run with, such as `python 3.11 (it asks for >=3.9)`. */
  readonly runtimes: readonly string[];
  readonly permissions: {
    /** `none`, `public`, or host names. */
    readonly network: readonly string[];
    readonly filesystem: 'none' | 'read-only' | 'read-write';
    /** Folders besides the workspace, such as `read:/srv/notes`. */
    readonly folders: readonly string[];
    /** Variables that its programs get. */
    readonly env: readonly string[];
    readonly commands: readonly string[];
  };
  readonly scopes: readonly PermissionScope[];
  /** What somebody must agree to, in the syntax of `--allow`. Empty: it asks for nothing. */
  readonly requires: readonly string[];
  /** Which of these the caller allowed by name. */
  readonly agreed: readonly string[];
  /** What the operator grants in addition, in the syntax of `--allow`. */
  readonly grants: readonly string[];
  readonly credentials: readonly PlannedCredential[];
  /** Language packages and images that will be fetched. */
  readonly dependencies: readonly string[];
  readonly cost?: Cost & { readonly estimate?: CostEstimate };
  readonly smoke?: string;
  readonly killSwitch?: string;
  readonly sandbox: SandboxLevel;
  /** What prevents it from running after the installation; one sentence each. */
  readonly blockers: readonly string[];
  readonly warnings: readonly string[];
  /** The difference to the generation that is served now. */
  readonly changes?: PlanChanges;
}

export interface PlannedPackage {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly format: string;
  readonly digest: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly effect: string;
  }[];
}

/** One value that the operator supplies. */
export interface PlannedCredential {
  readonly name: string;
  readonly label: string;
  readonly secret: boolean;
  readonly required: boolean;
  /** Whether a value is stored already. */
  readonly isSet: boolean;
  /** Hosts that may receive it. Empty for a setting, and for a secret whose hosts the operator names. */
  readonly hosts: readonly string[];
  readonly prompt?: string;
  readonly obtainUrl?: string;
  readonly default?: string;
  readonly choices?: readonly string[];
}

/** What the author's page says about the cost. */
export interface CostEstimate {
  readonly text: string;
  /** When it was read; milliseconds since 1970. */
  readonly readAt: number;
}

/** `breaking`: needs agreement. `additive`: new, and needs none. `cosmetic`: changes nothing that runs. */
export interface PlanChanges {
  readonly breaking: readonly string[];
  readonly additive: readonly string[];
  readonly cosmetic: readonly string[];
}
