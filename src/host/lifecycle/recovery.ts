import type { JournalEntry } from '../../store/change-journal.js';
import type { LifecycleServices } from './lifecycle-services.js';
import { type UndoServices, undoChange, usedBy } from './undo.js';

/** Undoes changes that a killed host did not finish, and removes files that nothing refers to. */
export async function recoverChanges(
  unfinished: readonly JournalEntry[],
  services: UndoServices & Pick<LifecycleServices, 'store' | 'audit'>,
): Promise<void> {
  for (const it of unfinished) {
    await undoChange(it, services);
    const body = { operation: 'undo', package: it.package, of: it.operation, by: 'host' };
    await services.audit.append({ kind: 'operator', body });
  }
  const { trees } = await usedBy(services.rows);
  await services.store.sweep(trees);
}
