import { join } from 'node:path';
import type { EnvironmentStore } from '../../environment/environment-store.js';
import type { CallAccess, NetworkHost } from '../../model/permissions.js';
import { applyDenial, type Denial, denialFor } from '../../policy/denial.js';
import { type Grant, grantFor } from '../../policy/grant.js';
import type { ProcessOwner } from '../../run/process-owner.js';
import type { SandboxProfile } from '../../run/sandbox-command.js';
import type { SandboxUser } from '../../sandbox/path-access.js';
import type { LimitPolicy } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { packagePathsToHide } from '../packages/loaded-package.js';
import type { Stage } from '../packages/stage.js';
import type { SessionSetup } from '../session-setup.js';
import { knownPaths } from './known-paths.js';
import type { PackageFolders } from './package-folders.js';
import type { Workspace } from './requested-mounts.js';
import type { SandboxServices } from './sandbox-services.js';
import type { WorkspaceGuard } from './workspace-guard.js';
import type { ProtectedPaths } from './workspace-mounts.js';

/** What the sandbox profiles of one package depend on, besides the package and the tool. */
export interface ProfileInputs {
  readonly owner: ProcessOwner;
  readonly grant: Grant;
  /** What the operator denies this package. */
  readonly denial: Denial;
  /** Hosts granted to this package in addition to those of its manifest. */
  readonly extraHosts: readonly NetworkHost[];
  /** Whether the session has no other package. */
  readonly isOnlyPackage: boolean;
  readonly workspace: Workspace;
  readonly protectedPaths: ProtectedPaths;
  readonly guard: WorkspaceGuard;
  readonly limits: LimitPolicy;
  /** Additional certificate authorities, as PEM. */
  readonly certificates: string | undefined;
  readonly stage: Stage;
  readonly folders: Pick<PackageFolders, 'dataFolder'>;
  readonly environments: EnvironmentStore;
  readonly user: SandboxUser;
  /** Profiles that are constant. The key is the needs of the package, or the access of a tool that has its own. */
  readonly constantProfiles: Map<CheckedPackage['needs'] | CallAccess, ToolProfile>;
}

/** The sandbox profile for a call. */
export interface ToolProfile {
  readonly profile: SandboxProfile;
  /** Access that the tool may have but did not get, and why; warnings for the caller. */
  readonly notes: readonly string[];
  /** Whether every call with the same inputs gets the same: no workspace, data folder, values and installed packages. */
  readonly isConstant: boolean;
}

/** The inputs for the sandbox profiles of one package, in a session with these packages. */
export function createProfileInputs(
  id: string,
  packages: readonly CheckedPackage[],
  { owner, grants, root, policy, directories }: SessionSetup,
  services: SandboxServices,
): ProfileInputs {
  const { stage, folders, environments, sandbox, homeFolders: homes, hostFolders, guard } = services;
  const denial = denialFor(policy.deny ?? [], id);
  const grant = applyDenial(grantFor(grants, id), denial);
  // With one package in the session, a grant without a package name can only mean that one.
  const isOnlyPackage = packages.filter((it) => it.loaded.catalog !== undefined).length === 1;
  const packagePaths = packagePathsToHide(
    packages.flatMap((it) => it.paths),
    directories,
    root,
  );
  return {
    owner,
    grant,
    isOnlyPackage,
    extraHosts: isOnlyPackage ? grant.network : (grants.own.get(id)?.network ?? []),
    denial,
    certificates: policy.caCertificates,
    workspace: {
      root,
      read: grant.read,
      write: grant.write,
      ...(policy.roots === undefined ? {} : { allowedRoots: policy.roots }),
      readOnly: denial.write,
    },
    protectedPaths: {
      homes,
      hostFolders,
      packages: [...packagePaths, ...denial.read],
      configuration: [...homes.map((it) => join(it, '.config', 'toolwharf')), ...(policy.protect ?? [])],
      known: () => knownPaths(services.agreements, services.links, services.broken),
    },
    guard,
    limits: policy.limits ?? {},
    stage,
    folders,
    environments,
    user: sandbox.user,
    constantProfiles: new Map(),
  };
}
