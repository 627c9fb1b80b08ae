import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { LockedPackage } from '../../model/lock-file.js';
import type { LockedSource } from '../../model/source.js';
import type { InstallCandidate } from '../lifecycle/candidate.js';
import { isLockOf } from '../lifecycle/install-lock-fit.js';
import type { PlanRequest } from '../lifecycle/installations.js';
import type { LifecycleServices, LifecycleSession } from '../lifecycle/lifecycle-services.js';
import { fetchProgress, type PreparedPlan, preparePlan } from '../lifecycle/prepared-plans.js';
import { sourceOf } from '../lifecycle/requested-source.js';
import { assertProjectGrants, machineSource } from './project-path.js';

/** The plan for one entry of a lock file. Throws `integrity` if the package is not exactly what the entry says. */
export async function planLocked(
  entry: LockedPackage,
  request: Pick<PlanRequest, 'allow' | 'onProgress'> & Required<Pick<PlanRequest, 'signal'>>,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<PreparedPlan> {
  const { root } = session.setup;
  const { id, grants, lock, requires } = entry;
  assertProjectGrants(grants, root);
  const source = machineSource(entry.locked, root);
  const text = 'path' in source ? source.path : entry.source;
  assertSource(entry, root);
  const { signal, allow = [], onProgress } = request;
  const prepared = await preparePlan(
    {
      ...{ text, source, lock, id, signal: signal as NonNullable<typeof signal>, granted: grants },
      allow: allow.filter((it) => requires.includes(it)),
      storedTree: await storedTree(entry, services),
      onProgress: fetchProgress(onProgress),
    },
    session,
    services,
  );
  assertSame(entry, prepared.candidate, prepared.plan.requires);
  const shared = await sharedWith(id, root, services);
  const { plan, candidate } = prepared;
  return {
    candidate,
    plan: shared === undefined ? plan : { ...plan, warnings: [...plan.warnings, shared] },
  };
}

/** What was written must be able to mean what it was resolved to: people read the first, and the second is fetched. */
function assertSource({ id, source, locked }: LockedPackage, root: string): void {
  const isRight =
    'path' in locked ? source === `./${locked.path}` : isLockOf(sourceOf(source, root, undefined), locked);
  if (!isRight)
    throw new HostError(
      'integrity',
      `the lock file says that ${id} comes from ${source}, but its locked source is ${JSON.stringify(locked)}`,
    );
}

/** Only files that were fetched from these very sources count; what a lock file says about them proves nothing. */
async function storedTree(
  { tree, locked, lock }: LockedPackage,
  { rows, store }: LifecycleServices,
): Promise<string | undefined> {
  if ('path' in locked || !store.has(tree)) return undefined;
  const json = (it: LockedSource | undefined) => canonicalJson((it ?? null) as Json);
  const known = (await rows.generations()).some(
    (it) => it.tree === tree && json(it.locked) === json(locked) && json(it.lock.code) === json(lock.code),
  );
  return known ? tree : undefined;
}

function assertSame(entry: LockedPackage, candidate: InstallCandidate, requires: readonly string[]): void {
  const { tree, manifest, lock, catalog } = candidate;
  const differences: readonly (readonly [string, unknown, unknown])[] = [
    ['files', tree, entry.tree],
    ['version', catalog.package.version, entry.version],
    ['manifest', manifest, entry.manifest],
    ['lock', lock, entry.lock],
    ['permissions', [...requires].sort(), [...entry.requires].sort()],
    ['package', catalog.digest, entry.digest],
  ];
  for (const [what, found, wanted] of differences) {
    const [here, there] = [found, wanted].map((it) => canonicalJson(it as Json).replace(/^"|"$/g, ''));
    if (here !== there)
      throw new HostError(
        'integrity',
        `${entry.id} from ${entry.source} is not what the lock file says: its ${what}: found ${here}, expected ${there}`,
        { hint: `if the change is wanted, save it: toolwharf install ${entry.source} --save` },
      );
  }
}

/** A package has one version on a machine. Other projects that use it get this one too. */
async function sharedWith(
  id: string,
  root: string,
  { rows }: LifecycleServices,
): Promise<string | undefined> {
  const installation = await rows.get(id);
  if (installation === undefined) return undefined;
  if (installation.roots === null) return 'it is served in all workspaces, and all get this version';
  const others = installation.roots.filter((it) => it !== root);
  return others.length === 0 ? undefined : `it is also served in ${others.join(', ')}, with the same version`;
}
