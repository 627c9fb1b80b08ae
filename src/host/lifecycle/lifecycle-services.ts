import type { EnvironmentStore } from '../../environment/environment-store.js';
import type { HostError } from '../../model/host-error.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { Vault } from '../../secrets/vault.js';
import type { ContentStore } from '../../sources/content-store.js';
import type { SourceServices } from '../../sources/source.js';
import type { AgreementRows } from '../../store/agreements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { ChangeJournal } from '../../store/change-journal.js';
import type { InstallationRows } from '../../store/installations.js';
import type { Narrowings } from '../../store/narrowings.js';
import type { RevokedPackages } from '../../store/revoked-packages.js';
import type { SessionCatalog } from '../catalog/session-catalog.js';
import type { Session, SessionIntent } from '../host.js';
import type { Invalidate } from '../operator/approval-operations.js';
import type { AuditEntry } from '../operator/audit-reader.js';
import type { KillSwitch } from '../operator/kill-switch.js';
import type { OperatorAuth } from '../operator/operator-auth.js';
import type { Violations } from '../operator/violations.js';
import type { InstallationIndex, InstalledPlace } from '../packages/installation-index.js';
import type { PackageReaders } from '../packages/loaded-package.js';
import type { Queue } from '../queue.js';
import type { SessionOwn, SessionSetup } from '../session-setup.js';
import type { SignOutResult } from '../upstream/server-sign-ins.js';
import type { SignOut } from '../upstream/sign-out.js';

/** What all changes of installations share. */
export interface LifecycleServices {
  readonly rows: InstallationRows;
  readonly journal: ChangeJournal;
  readonly index: InstallationIndex;
  readonly store: ContentStore;
  readonly agreements: AgreementRows;
  readonly readers: PackageReaders;
  readonly vault: Vault;
  readonly audit: AuditLog;
  /** The last changes of a package in the audit log, newest first. */
  readonly entriesOf: (packageId: string, count: number) => Promise<readonly AuditEntry[]>;
  readonly operatorAuth: OperatorAuth;
  readonly kills: KillSwitch;
  readonly invalidate: Invalidate;
  readonly violations: Violations;
  readonly revoked: RevokedPackages;
  /** Ends the calls and kept processes of a package. */
  readonly endUse: (packageId: string, reason: HostError) => void;
  readonly narrowings: Narrowings;
  /** Revokes and erases the sign-ins of a package to its servers. */
  readonly signOut: (request: Omit<SignOut, 'staysHere'>) => Promise<SignOutResult>;
  /** Deletes the data folder of a package. False if there was none. */
  readonly eraseData: (packageId: string) => Promise<boolean>;
  /** One change at a time; others wait. */
  readonly queue: Queue;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly notifyChanged: () => void;
}

/** What one session adds: its settings decide what may be fetched and how programs run. */
export interface LifecycleSession {
  readonly setup: SessionSetup;
  readonly sources: SourceServices;
  readonly environments: EnvironmentStore;
  readonly containers: Containers;
  /** Opens a session with the settings of this one, which has only the given installed package. `own`: what only it has. */
  open(
    place: InstalledPlace,
    intent: SessionIntent,
    own?: Partial<Omit<SessionOwn, 'places'>>,
  ): Promise<CandidateSession>;
}

export interface CandidateSession {
  readonly session: Session;
  readonly catalog: SessionCatalog;
  close(): Promise<void>;
}
