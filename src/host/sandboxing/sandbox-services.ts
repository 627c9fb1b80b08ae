import type { EnvironmentStore } from '../../environment/environment-store.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Stage } from '../packages/stage.js';
import type { PackageFolders } from './package-folders.js';

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
  /** The host's own folders, which tools never see. */
  readonly hostFolders: readonly string[];
  /** All paths of the user's home folder. */
  readonly homeFolders: readonly string[];
}
