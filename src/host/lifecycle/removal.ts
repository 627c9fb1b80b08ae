import type { Vault } from '../../secrets/vault.js';
import type { JournalEntry } from '../../store/change-journal.js';
import type { RemoveRequest } from './installations.js';
import type { LifecycleServices } from './lifecycle-services.js';
import { type UndoServices, undoChange, usedBy } from './undo.js';

/** What is needed to finish a removal, also after a restart. */
export type RemovalServices = UndoServices &
  Pick<LifecycleServices, 'store' | 'agreements' | 'eraseData' | 'vault' | 'narrowings'>;

const operations = { erasing: 'remove', keeping: 'remove, but keep data' } as const;

/** Whether an entry of the journal is a removal: it is finished and not undone. */
export function isRemoval({ operation }: JournalEntry): boolean {
  return operation === operations.erasing || operation === operations.keeping;
}

export function keepsData({ operation }: JournalEntry): boolean {
  return operation === operations.keeping;
}

/** Writes to the journal that a package goes away. From now on it does, even if the host is killed. */
export async function beginRemoval(
  id: string,
  { keepData = false }: RemoveRequest,
  { journal, rows, newId, containers }: LifecycleServices & Pick<UndoServices, 'containers'>,
): Promise<JournalEntry> {
  const generations = await rows.generations(id);
  const made = {
    trees: [],
    environments: [...new Set(generations.flatMap((it) => it.environments))],
    images: [...new Set(generations.flatMap((it) => it.images))],
    engine: containers.engine,
  };
  const operation = keepData ? operations.keeping : operations.erasing;
  const entry = { id: newId('chg'), package: id, operation, made };
  await journal.begin(entry);
  return entry;
}

/** Deletes everything that a package has. It may be repeated. */
export async function finishRemoval(
  entry: JournalEntry,
  services: RemovalServices,
): Promise<{ readonly generations: number; readonly hadData: boolean }> {
  const { package: id } = entry;
  const { rows, vault, agreements, store, eraseData, narrowings } = services;
  await eraseValues(id, [], vault);
  const hadData = keepsData(entry) ? false : await eraseData(id);
  const removed = await rows.generations(id);
  await rows.remove(id);
  await narrowings.remove(id);
  agreements.changed();
  const { trees } = await usedBy(rows);
  for (const { tree } of removed) if (!trees.has(tree)) await store.remove(tree);
  await undoChange(entry, services);
  return { generations: removed.length, hadData };
}

/** Deletes the values of a package except those to keep. Returns how many. */
export async function eraseValues(id: string, keep: readonly string[], vault: Vault): Promise<number> {
  let count = 0;
  for (const it of await vault.list()) {
    if (it.package !== id || keep.includes(it.slot)) continue;
    if (await vault.unset(id, it.slot)) count++;
  }
  return count;
}
