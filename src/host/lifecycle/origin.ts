import { lockedText } from '../../model/locked-text.js';
import { namingLockFiles } from '../lock/naming-lock-files.js';
import type { InstallationOrigin } from './installations.js';
import { existingGeneration, existingInstallation } from './installed-rows.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';

/** How many entries of the audit log are shown. */
const maxEntries = 10;

/** Why an installed package is here: who agreed to it, where it came from, and which lock files name it. */
export async function installationOriginOf(
  id: string,
  { setup }: LifecycleSession,
  { rows, entriesOf }: LifecycleServices,
): Promise<InstallationOrigin> {
  const { state, roots, installedAt } = await existingInstallation(rows, id);
  const current = await existingGeneration(rows, id);
  const { version, number, source, locked, plan, createdBy, createdAt } = current;
  const named = await namingLockFiles(current, [...(roots ?? []), setup.root]);
  const lockFiles = named.map(({ file, isGeneration }) => ({
    ...{ file, isInstalled: state === 'active' && isGeneration },
  }));
  return {
    ...{ package: id, state, roots, version, generation: number, source, resolved: lockedText(locked) },
    ...{ plan, by: createdBy, at: createdAt, installedAt, lockFiles },
    entries: await entriesOf(id, maxEntries),
  };
}
