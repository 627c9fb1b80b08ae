import { environmentStore } from '../environment/environment-store.js';
import { openEgress } from '../net/egress.js';
import type { DevelopmentOptions } from './development.js';
import type { OpenEnvironments } from './host-lifecycle.js';
import type { Stage } from './packages/stage.js';
import { certificateFolder } from './sandboxing/certificate-folder.js';
import { PackageFolders } from './sandboxing/package-folders.js';

export interface EnvironmentsOpenerOptions {
  readonly stage: Stage;
  /** Hosts of authors share one folder for language packages. */
  readonly development: DevelopmentOptions | undefined;
  /** A short unique name. */
  readonly newName: () => string;
}

/** Opens the installed language packages of a host. */
export function environmentsOpener({
  stage,
  development,
  newName,
}: EnvironmentsOpenerOptions): OpenEnvironments {
  return (sandbox, folders, policy) => {
    const own =
      development === undefined ? folders : new PackageFolders(development.environments, sandbox.user);
    return environmentStore({
      ...{ folder: own.environmentsFolder(), sandbox, sources: policy().indexes ?? {}, openEgress, newName },
      newSocket: () => stage.newSocket(sandbox.user),
      certificateFolder: () => {
        // The policy in force can change while the session is open.
        const { caCertificates } = policy();
        return caCertificates === undefined ? undefined : certificateFolder(stage.root, caCertificates);
      },
    });
  };
}
