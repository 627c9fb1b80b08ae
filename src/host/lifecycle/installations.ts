// The operations on installed packages. host.ts exports all of these types.
import type { CancelSignal } from '../../model/cancel-signal.js';
import type { ChangeProgress, PackageChange } from '../../model/change.js';
import type { FailedUpdate, GenerationTrial, Installation, SmokeResult } from '../../model/installation.js';
import type { LockPlan } from '../../model/lock-file.js';
import type { Plan } from '../../model/plan.js';
import type { AuditEntry } from '../operator/audit-reader.js';
import type { Actor } from '../operator/operator-auth.js';
import type { ServerDraft, ServerRequest, ServerTrial, ServerTrialRequest } from './added/server-request.js';

/** Installs, updates and removes packages. The settings of the session decide what may be fetched and reached. */
export interface Installations {
  /** What an installation or update would do. Changes nothing, and runs no code of the package. */
  plan(request: PlanRequest): Promise<Plan>;
  /** Writes a plain MCP server, given as a command line or URL, as a source. Starts nothing. */
  draftServer(request: ServerRequest): Promise<ServerDraft>;
  /** Starts such a server once, without network and folders, to see its tools and the hosts that it wants. */
  tryServer(request: ServerTrialRequest): Promise<ServerTrial>;
  /** What is wrong with a value for a package of a plan; null if it is valid. */
  checkValue(request: ValueRequest): Promise<string | null>;
  /** Installs or updates exactly what a plan says. A failed step leaves everything as it was. */
  install(request: InstallRequest): Promise<PackageChange>;
  /** What installing the packages of `toolwharf.lock` in the root would do. Changes nothing. */
  planRestore(request?: LockPlanRequest): Promise<LockPlan>;
  /** Installs exactly what `toolwharf.lock` in the root says, only for this root. */
  restore(request: RestoreRequest): Promise<RestoreReport>;
  /** Who installed a package, from where, and which lock files name it. */
  why(packageId: string): Promise<InstallationOrigin>;
  /** All installed packages, sorted by id. */
  list(): Promise<readonly InstalledPackage[]>;
  /** The generations of a package, newest first. */
  history(packageId: string): Promise<readonly GenerationEntry[]>;
  /** Runs the smoke test of an installed package again and stores its result. */
  verify(packageId: string, options?: ChangeOptions): Promise<SmokeResult>;
  /** Serves an earlier generation again. Default: the one before the current. */
  rollback(request: RollbackRequest): Promise<PackageChange>;
  /** Removes a package and its values, without its kill switch. */
  remove(request: RemoveRequest): Promise<PackageChange>;
  /** Uses the kill switch of a package, then removes the package and its values. */
  revoke(request: RevokeRequest): Promise<PackageChange>;
  /** Which packages have a newer version at their source. */
  outdated(options?: ChangeOptions): Promise<readonly OutdatedPackage[]>;
  /** Removes old generations, and files that nothing refers to. */
  collectGarbage(by: Actor): Promise<GarbageReport>;
}

export interface ChangeOptions {
  readonly signal?: CancelSignal | undefined;
  /** Called when a step starts and while bytes arrive. */
  readonly onProgress?: ((progress: ChangeProgress) => void) | undefined;
}

export interface PlanRequest extends ChangeOptions {
  /** Where the package comes from. Absent: the source of the installed package `package`, for an update. */
  readonly source?: string | undefined;
  /** Id of a request of an agent. Its source is used, and it is marked as installed. Only instead of `source`. */
  readonly request?: string | undefined;
  /** SHA-256 of an archive or download, in hex. */
  readonly sha256?: string | undefined;
  /** Which package, if the source has several, or the package to update. */
  readonly package?: string | undefined;
  /**
   * What the operator allows, in the syntax of `--allow`. What the package asks for counts as agreed to; the rest is
   * granted in addition. An update keeps the grants of the current generation.
   */
  readonly allow?: readonly string[] | undefined;
  /** Also read the page that estimates the cost. Default: false. */
  readonly estimate?: boolean | undefined;
}

/** A value to check before it is used with `install`. */
export interface ValueRequest {
  /** `digest` of the plan. */
  readonly agree: string;
  /** Name of the slot. */
  readonly name: string;
  readonly value: string;
}

export interface InstallRequest extends PlanRequest {
  /** `digest` of the plan. Anything else is not installed. */
  readonly agree: string;
  /** Values for slots of the package, by name. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** Hosts that may receive a secret, by slot. Default: the hosts of the manifest, or else those of the plan. */
  readonly recipients?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Do not run the smoke test. This is recorded and shown. */
  readonly skipSmoke?: boolean | undefined;
  /** Serve it only to sessions with the workspace of this session. Default: to all. */
  readonly onlyHere?: boolean | undefined;
  /** Also write it to `toolwharf.lock` in the root of this session. Implies `onlyHere`. */
  readonly save?: boolean | undefined;
  readonly by: Actor;
}

export interface LockPlanRequest extends ChangeOptions {
  /** Only the package with this source, as the lock file has it. Default: all. */
  readonly source?: string | undefined;
  /** What the operator allows by name, in the syntax of `--allow`. The lock file must ask for it. */
  readonly allow?: readonly string[] | undefined;
}

export interface RestoreRequest extends LockPlanRequest {
  /** `digest` of the plan. If the lock file says something else now, nothing is installed. */
  readonly agree: string;
  /** Values for slots, by package and name. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Do not run the smoke tests. This is recorded and shown. */
  readonly skipSmoke?: boolean | undefined;
  readonly by: Actor;
}

/** What became of each package of a lock file. */
export interface RestoreReport {
  /** Absolute path of the lock file. */
  readonly file: string;
  readonly digest: string;
  /** `unchanged`: it was installed already. */
  readonly changes: readonly PackageChange[];
}

/** Why an installed package is here. */
export interface InstallationOrigin {
  readonly package: string;
  readonly state: Installation['state'];
  readonly roots: Installation['roots'];
  readonly version: string;
  readonly generation: number;
  /** The source as it was written. */
  readonly source: string;
  /** What the source was resolved to. */
  readonly resolved: string;
  /** Digest of the plan that was agreed to. */
  readonly plan: string;
  /** Who agreed to the generation that is served, and when. */
  readonly by: string;
  readonly at: number;
  /** When the package was installed first. */
  readonly installedAt: number;
  readonly lockFiles: readonly {
    /** Absolute path. */
    readonly file: string;
    /** False: it has an entry for the package that says something else. */
    readonly isInstalled: boolean;
  }[];
  /** The last changes in the audit log, newest first. */
  readonly entries: readonly AuditEntry[];
}

export interface RollbackRequest extends ChangeOptions {
  readonly package: string;
  readonly generation?: number | undefined;
  readonly by: Actor;
}

export interface RemoveRequest extends ChangeOptions {
  readonly package: string;
  /** Keep the folder with the package's own files. Default: false. */
  readonly keepData?: boolean | undefined;
  readonly by: Actor;
}

export interface RevokeRequest extends RemoveRequest {
  /** Remove the package although its kill switch did not succeed. What is left is reported. */
  readonly forget?: boolean | undefined;
  /** The person did the manual steps of the kill switch. */
  readonly manualStepsDone?: boolean | undefined;
  /** Which secret the request of the kill switch is sent with, if the package has several. */
  readonly credential?: string | undefined;
}

/** An installed package with its current generation. */
export interface InstalledPackage extends Installation {
  readonly version: string;
  readonly source: string;
  readonly smoke: SmokeResult;
  readonly generations: number;
  /** A newer generation that never started, so that the host went back from it. */
  readonly wentBackFrom?: FailedUpdate;
}

/** One generation of a package. */
export interface GenerationEntry {
  readonly generation: number;
  readonly version: string;
  readonly source: string;
  /** What the source was resolved to. */
  readonly resolved: string;
  readonly digest: string;
  readonly isCurrent: boolean;
  readonly grants: readonly string[];
  readonly smoke: SmokeResult;
  /** Whether it starts. Absent: it replaced no other generation, or a start succeeded. */
  readonly trial?: GenerationTrial;
  readonly createdAt: number;
  readonly createdBy: string;
}

export interface OutdatedPackage {
  readonly package: string;
  readonly version: string;
  /** What the source is resolved to now; absent if it could not be read. */
  readonly available?: string;
  /** Tags that mean something else than what is installed. One sentence each; absent: none. */
  readonly moved?: readonly string[];
  /** Why the source could not be read. */
  readonly problem?: string;
}

export interface GarbageReport {
  /** Old generations that were removed. */
  readonly generations: number;
  readonly trees: number;
}
