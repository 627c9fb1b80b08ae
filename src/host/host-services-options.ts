import type { ParseOptions } from '../model/format.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { AuditLog } from '../store/audit-log.js';
import type { Database } from '../store/database.js';
import type { Narrowings } from '../store/narrowings.js';
import type { WatchedPackages } from '../store/watched-packages.js';
import type { Invalidate } from './operator/approval-operations.js';
import type { KillSwitch } from './operator/kill-switch.js';
import type { OperatorAuth } from './operator/operator-auth.js';
import type { Quarantine } from './operator/quarantine.js';
import type { RunningCalls } from './operator/running-calls.js';
import type { ToolSets } from './operator/tool-sets.js';
import type { Violations } from './operator/violations.js';
import type { HostOptions } from './options.js';
import type { PackageDigests } from './packages/package-digest.js';
import type { Stage } from './packages/stage.js';

export interface HostServicesOptions {
  readonly state: string;
  readonly database: Database;
  readonly audit: AuditLog;
  readonly stage: Stage;
  readonly digests: PackageDigests;
  readonly kills: KillSwitch;
  readonly quarantine: Quarantine;
  readonly violations: Violations;
  readonly running: RunningCalls;
  readonly sets: ToolSets;
  readonly sandbox: Sandbox;
  readonly watched: WatchedPackages;
  readonly narrowings: Narrowings;
  readonly now: () => number;
  readonly parse: ParseOptions;
  /** The host's own key of that name. */
  readonly keyOf: (name: string) => Promise<Uint8Array>;
  readonly operatorAuth: OperatorAuth;
  /** Called when a definition no longer matches its agreement. */
  readonly onOutdated: (digest: string) => Promise<void>;
  /** Called when a tool is no longer announced as it was accepted. */
  readonly onOutdatedTool: (definition: string) => Promise<void>;
  /** Voids held calls and standing rules. */
  readonly invalidate: Invalidate;
  readonly newId: (prefix: string) => string;
  readonly options: HostOptions;
}
