import { parseImageReference } from '../../model/image-reference.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { JournalEntry } from '../../store/change-journal.js';
import type { InstallationRows } from '../../store/installations.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';

/** What is needed to delete what an unfinished change made, or what a removal leaves. */
export type UndoServices = Pick<LifecycleServices, 'journal' | 'rows'> &
  Pick<LifecycleSession, 'environments' | 'containers'> & {
    /** After a restart: the engine at a path. The settings of the session that made the change are not known then. */
    readonly containersAt?: (engine: string) => Containers;
  };

/** Undoes an unfinished change: what only it needed is removed. */
export async function undoChange(entry: JournalEntry, services: UndoServices): Promise<void> {
  const { journal, rows, environments } = services;
  const { made } = entry;
  const containers =
    (made.engine === undefined ? undefined : services.containersAt?.(made.engine)) ?? services.containers;
  const used = await usedBy(rows);
  await environments.remove(made.environments.filter((it) => !used.environments.has(it)));
  for (const text of made.images) {
    const image = parseImageReference(text);
    if (image !== undefined && !used.images.has(text) && containers.engine !== undefined)
      await containers.remove(image);
  }
  // Last: after a crash before this point, the entry is still there, and everything is repeated.
  await journal.end(entry.id);
}

/** What the stored generations use. */
export async function usedBy(rows: InstallationRows): Promise<{
  readonly trees: ReadonlySet<string>;
  readonly environments: ReadonlySet<string>;
  readonly images: ReadonlySet<string>;
}> {
  const generations = await rows.generations();
  return {
    trees: new Set(generations.map((it) => it.tree)),
    environments: new Set(generations.flatMap((it) => it.environments)),
    images: new Set(generations.flatMap((it) => it.images)),
  };
}
