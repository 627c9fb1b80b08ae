import type { EnvironmentStore } from '../../environment/environment-store.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { AgreementRows, LinkRows } from '../../store/agreements.js';
import type { BrokenWhenNamed } from '../../store/broken-when-named.js';
import type { Stage } from '../packages/stage.js';
import type { FileWatch } from './file-watch.js';
import type { PackageFolders } from './package-folders.js';
import type { WorkspaceGuard } from './workspace-guard.js';

/** The sandbox, and the folders that it mounts or hides. */
export interface SandboxServices {
  readonly sandbox: Sandbox;
  readonly containers: Containers;
  /** Copies of packages as they were checked. */
  readonly stage: Stage;
  /** Folders in which packages keep data. */
  readonly folders: PackageFolders;
  /** Installed language packages. */
  readonly environments: EnvironmentStore;
  /** Watches the mounted folders. */
  readonly guard: WorkspaceGuard;
  /** Finds out whether watched packages change files. */
  readonly fileWatch: FileWatch;
  /** What the operator accepted and named, in all sessions. */
  readonly agreements: AgreementRows;
  readonly links: LinkRows;
  readonly broken: BrokenWhenNamed;
  /** The host's own folders, which tools never see. */
  readonly hostFolders: readonly string[];
  /** All paths of the user's home folder. */
  readonly homeFolders: readonly string[];
}
