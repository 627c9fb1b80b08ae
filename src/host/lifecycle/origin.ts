import { lockedText } from '../../model/locked-text.js';
import { isGenerationOf } from '../lock/lock-entry.js';
import { lockFilePath, readLockFile } from '../lock/lock-file.js';
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
  const lockFiles: InstallationOrigin['lockFiles'][number][] = [];
  for (const root of new Set([...(roots ?? []), setup.root])) {
    // A broken lock file says nothing; installing from it explains why.
    const file = await readLockFile(root).catch(() => undefined);
    const entry = file?.packages.find((it) => it.id === id);
    if (entry === undefined) continue;
    const isInstalled = state === 'active' && isGenerationOf(entry, current, root);
    lockFiles.push({ file: lockFilePath(root), isInstalled });
  }
  return {
    ...{ package: id, state, roots, version, generation: number, source, resolved: lockedText(locked) },
    ...{ plan, by: createdBy, at: createdAt, installedAt, lockFiles },
    entries: await entriesOf(id, maxEntries),
  };
}
