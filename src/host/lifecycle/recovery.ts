import { removeAbandonedBuilds } from '../../environment/build-sandbox.js';
import type { SourceServices } from '../../sources/source.js';
import type { JournalEntry } from '../../store/change-journal.js';
import { removeOldGenerations } from './collect-garbage.js';
import type { LifecycleServices } from './lifecycle-services.js';
import { finishRemoval, isRemoval, type RemovalServices } from './removal.js';
import { undoChange } from './undo.js';

/** What settling an unfinished change needs. */
export type RecoveryServices = RemovalServices & Pick<LifecycleServices, 'audit' | 'newId'>;

/** Undoes changes that a killed host did not finish, finishes removals, and deletes files that nothing refers to. */
export async function recoverChanges(
  unfinished: readonly JournalEntry[],
  services: RecoveryServices & Pick<SourceServices, 'buildFolder'>,
): Promise<void> {
  for (const it of unfinished)
    try {
      await settle(it, services);
    } catch (error) {
      // It stays in the journal, and the next change of the package tries again. Other packages must not wait for it.
      const body = { operation: 'unsettled', package: it.package, of: it.operation, by: 'host' };
      await services.audit.append({ kind: 'operator', body: { ...body, reason: (error as Error).message } });
    }
  await removeAbandonedBuilds(services.buildFolder);
  await removeOldGenerations(services, []);
}

/** Settles what is left of earlier changes of a package, if even undoing them failed. */
export async function settleChanges(
  id: string,
  services: RecoveryServices,
  except?: string | undefined,
): Promise<void> {
  for (const it of await services.journal.list())
    if (it.package === id && it.id !== except) await settle(it, services);
}

async function settle(entry: JournalEntry, services: RecoveryServices): Promise<void> {
  const operation = entry.operation.startsWith('remove') ? 'finish' : 'undo';
  const body = { operation, package: entry.package, of: entry.operation, by: 'host' };
  await services.audit.append({ kind: 'operator', body });
  await (isRemoval(entry) ? finishRemoval(entry, services) : undoChange(entry, services));
}
