import type { ChangeMade } from '../../store/change-journal.js';
import type { StoredGeneration } from '../../store/installations.js';
import type { GarbageReport } from './installations.js';
import type { LifecycleServices } from './lifecycle-services.js';
import { type UndoServices, undoChange, usedBy } from './undo.js';

/** How many generations of a package are kept, with the current one. */
const keptGenerations = 3;

type GarbageServices = UndoServices & Pick<LifecycleServices, 'store' | 'agreements' | 'newId'>;

/** Removes old generations and files that nothing refers to. `keep`: trees of plans that may still be agreed to. */
export async function removeOldGenerations(
  services: GarbageServices,
  keep: readonly string[],
): Promise<GarbageReport> {
  const { rows, store, agreements, journal, newId, containers } = services;
  const old: StoredGeneration[] = [];
  for (const { package: id, current } of await rows.list()) {
    const all = (await rows.generations(id)).filter((it) => it.number !== current);
    // Those that never started go first: nobody rolls back to them.
    const isFailed = (it: StoredGeneration) => it.trial?.state === 'failed';
    const others = [...all.filter(isFailed), ...all.filter((it) => !isFailed(it))];
    old.push(...others.slice(0, Math.max(0, others.length - (keptGenerations - 1))));
  }
  if (old.length > 0) {
    const made: ChangeMade = {
      trees: [],
      environments: [...new Set(old.flatMap((it) => it.environments))],
      images: [...new Set(old.flatMap((it) => it.images))],
      engine: containers.engine,
    };
    const entry = { id: newId('chg'), package: '', operation: 'remove old generations', made };
    await journal.begin(entry);
    await rows.removeGenerations(old);
    agreements.changed();
    await undoChange(entry, services);
  }
  const { trees } = await usedBy(rows);
  const removed = await store.sweep(new Set([...trees, ...keep]));
  return { generations: old.length, trees: removed.length };
}
