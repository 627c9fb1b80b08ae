// Keeps lock files true: after a change of an installed package, its entry says what is installed now.
import type { ChangeStep, PackageChange } from '../../model/change.js';
import { HostError } from '../../model/host-error.js';
import type { Installation } from '../../model/installation.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { LockedPackage } from '../../model/lock-file.js';
import type { InstallCandidate } from '../lifecycle/candidate.js';
import { currentGeneration } from '../lifecycle/installed-rows.js';
import type { LifecycleServices, LifecycleSession } from '../lifecycle/lifecycle-services.js';
import { lockEntryOf } from './lock-entry.js';
import { lockFilePath, readLockFile, writeLockEntry } from './lock-file.js';
import { projectGrants, projectSource } from './project-path.js';

/** Throws if a package cannot be saved in the lock file of a project. Call it before anything is changed. */
export async function assertCanBeSaved({ acquired, place }: InstallCandidate, root: string): Promise<void> {
  projectSource(acquired.locked, root);
  projectGrants(place.grants, root);
  await readLockFile(root);
}

export interface LockKeeping {
  /** The workspaces that the package was or is served in. */
  readonly roots: Installation['roots'];
  /** Add it to the lock file of this session's root, if it is not there yet. */
  readonly save: boolean;
}

/** The change with its effect on lock files. One that cannot be written is left to do: the package has changed already. */
export async function withLockFiles(
  change: PackageChange,
  { roots, save }: LockKeeping,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<PackageChange> {
  const { root: own } = session.setup;
  const steps: ChangeStep[] = [];
  const left: string[] = [];
  for (const root of new Set([...(roots ?? []), own])) {
    try {
      const detail = await keepTrue(change.package, root, save && root === own, session, services);
      if (detail !== undefined) steps.push({ name: 'lock file', status: 'done', detail });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      steps.push({ name: 'lock file', status: 'failed', detail: error.message });
      left.push(`change the entry of ${change.package} in ${lockFilePath(root)} yourself: ${error.message}`);
    }
  }
  return { ...change, steps: [...change.steps, ...steps], left: [...change.left, ...left] };
}

/** What was done to one lock file; undefined if nothing had to be. */
async function keepTrue(
  id: string,
  root: string,
  save: boolean,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<string | undefined> {
  const file = await readLockFile(root);
  const before = file?.packages.find((it) => it.id === id);
  if (before === undefined && !save) return undefined;
  const installation = await services.rows.get(id);
  const isServed = installation?.state === 'active';
  const current = isServed ? await currentGeneration(services.rows, id) : undefined;
  if (current === undefined) {
    await writeLockEntry(root, id, undefined);
    return `removed it from ${lockFilePath(root)}`;
  }
  const entry = await lockEntryOf(current, before, root, session, services);
  const json = (it: LockedPackage) => canonicalJson(it as unknown as Json);
  if (before !== undefined && json(before) === json(entry)) return undefined;
  await writeLockEntry(root, id, entry);
  return `wrote ${entry.version} to ${lockFilePath(root)}`;
}
