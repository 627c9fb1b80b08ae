import { parseImageReference } from '../../model/image-reference.js';
import type { StoredGeneration } from '../../store/installations.js';
import type { GarbageReport } from './installations.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { usedBy } from './undo.js';

/** How many generations of a package are kept, with the current one. */
const keptGenerations = 3;

type GarbageServices = Pick<LifecycleServices, 'rows' | 'store' | 'agreements'>;
type GarbageSession = Pick<LifecycleSession, 'environments' | 'containers'>;

/** Removes old generations and files that nothing refers to. `keep`: trees of plans that may still be agreed to. */
export async function removeOldGenerations(
  services: GarbageServices,
  session: GarbageSession,
  keep: readonly string[],
): Promise<GarbageReport> {
  const { rows } = services;
  const old: StoredGeneration[] = [];
  for (const { package: id, current } of await rows.list()) {
    const others = (await rows.generations(id)).filter((it) => it.number !== current);
    old.push(...others.slice(0, Math.max(0, others.length - (keptGenerations - 1))));
  }
  await rows.removeGenerations(old);
  const trees = await removeUnused(old, services, session, keep);
  return { generations: old.length, trees };
}

/** Removes what only these generations used. Their rows are gone already. Returns how many trees were removed. */
export async function removeUnused(
  removed: readonly StoredGeneration[],
  { rows, store, agreements }: GarbageServices,
  { environments, containers }: GarbageSession,
  keep: readonly string[],
): Promise<number> {
  if (removed.length > 0) agreements.changed();
  const used = await usedBy(rows);
  const places = removed.flatMap((it) => it.environments).filter((it) => !used.environments.has(it));
  if (places.length > 0) await environments.remove(places);
  for (const text of new Set(removed.flatMap((it) => it.images))) {
    const image = parseImageReference(text);
    if (image !== undefined && !used.images.has(text) && containers.engine !== undefined)
      await containers.remove(image);
  }
  return (await store.sweep(new Set([...used.trees, ...keep]))).length;
}
