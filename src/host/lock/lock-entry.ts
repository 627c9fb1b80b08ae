import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { EnvironmentLock, LockedPackage } from '../../model/lock-file.js';
import { requiredAgreements } from '../../policy/required-agreements.js';
import type { StoredGeneration } from '../../store/installations.js';
import { findPackage } from '../catalog/tool-lookup.js';
import type { LifecycleServices, LifecycleSession } from '../lifecycle/lifecycle-services.js';
import { projectGrants, projectSource } from './project-path.js';

/** What a generation has by itself. The rest of its entry needs a look at the package. */
type StoredMembers = Omit<LockedPackage, 'requires' | 'environments'>;

/** The entry of a generation. Locks for other platforms, from the entry before, are kept if the package is the same. */
export async function lockEntryOf(
  generation: StoredGeneration,
  before: LockedPackage | undefined,
  root: string,
  session: LifecycleSession,
  { index }: LifecycleServices,
): Promise<LockedPackage> {
  const own = storedMembers(generation, root);
  const trial = await session.open(index.placeOf(generation), 'look');
  try {
    const { loaded, needs } = findPackage(trial.catalog.packages, generation.package);
    const pkg = loaded.catalog?.package;
    if (pkg === undefined) throw new HostError('integrity', `the installed files of ${own.id} are damaged`);
    const needed = needs.flatMap((it) => it.packages ?? []);
    const environments = needed.flatMap((it) => session.environments.lockOf(it) ?? []);
    const isSame = before?.tree === own.tree && before.digest === own.digest;
    const kept = isSame ? before.environments.filter((it) => !isReplaced(it, environments)) : [];
    return {
      ...own,
      requires: requiredAgreements(pkg),
      environments: sortedOnce([...kept, ...environments]),
    };
  } finally {
    await trial.close();
  }
}

/** Whether a generation is exactly what an entry says. Language packages are compared when they are installed. */
export function isGenerationOf(
  entry: LockedPackage,
  generation: StoredGeneration | undefined,
  root: string,
): boolean {
  if (generation === undefined) return false;
  const { requires: _, environments: __, ...wanted } = entry;
  const json = (it: StoredMembers) => canonicalJson(it as unknown as Json);
  try {
    return json(storedMembers(generation, root)) === json({ ...wanted, grants: [...wanted.grants].sort() });
  } catch {
    // Its source or a grant is outside the project.
    return false;
  }
}

function storedMembers(generation: StoredGeneration, root: string): StoredMembers {
  const { package: id, version, tree, manifest, digest, lock } = generation;
  const locked = projectSource(generation.locked, root);
  return {
    ...{ id, version, tree, manifest, digest, lock, locked },
    source: 'path' in locked ? `./${locked.path}` : generation.source,
    grants: projectGrants(generation.grants, root),
  };
}

/** Whether there is a newer lock for the same requirements, platform and language version. */
function isReplaced(old: EnvironmentLock, locks: readonly EnvironmentLock[]): boolean {
  const place = ({ requirements, lock: { language, python, major, platform, manifest } }: EnvironmentLock) =>
    JSON.stringify([requirements, language, python, major, platform, language === 'node' ? manifest : null]);
  return locks.some((it) => place(it) === place(old));
}

function sortedOnce(locks: readonly EnvironmentLock[]): readonly EnvironmentLock[] {
  const byText = new Map(locks.map((it) => [canonicalJson(it as unknown as Json), it]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, it]) => it);
}
