import type { EnvironmentStore } from '../../environment/environment-store.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { Vault } from '../../secrets/vault.js';
import type { ContentStore } from '../../sources/content-store.js';
import type { SourceServices } from '../../sources/source.js';
import type { AgreementRows } from '../../store/agreements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { ChangeJournal } from '../../store/change-journal.js';
import type { InstallationRows } from '../../store/installations.js';
import type { SessionCatalog } from '../catalog/session-catalog.js';
import type { Session, SessionIntent } from '../host.js';
import type { Invalidate } from '../operator/approval-operations.js';
import type { KillSwitch } from '../operator/kill-switch.js';
import type { OperatorAuth } from '../operator/operator-auth.js';
import type { InstallationIndex, InstalledPlace } from '../packages/installation-index.js';
import type { PackageReaders } from '../packages/loaded-package.js';
import type { Queue } from '../queue.js';
import type { SessionSetup } from '../session-setup.js';

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
  readonly operatorAuth: OperatorAuth;
  readonly kills: KillSwitch;
  readonly invalidate: Invalidate;
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
  /** Opens a session with the settings of this one, which has only the given installed package. */
  open(place: InstalledPlace, intent: SessionIntent): Promise<CandidateSession>;
}

export interface CandidateSession {
  readonly session: Session;
  readonly catalog: SessionCatalog;
  close(): Promise<void>;
}
