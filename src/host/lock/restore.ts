import { sha256 } from '../../files/sha256.js';
import { neverCanceled } from '../../model/cancel-signal.js';
import type { PackageChange } from '../../model/change.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { LockedPackage, LockPlan, UnchangedPackage } from '../../model/lock-file.js';
import type { StoredGeneration } from '../../store/installations.js';
import { removeOldGenerations } from '../lifecycle/collect-garbage.js';
import { installCandidate } from '../lifecycle/install.js';
import { assertValues } from '../lifecycle/install-values.js';
import type { LockPlanRequest, RestoreReport, RestoreRequest } from '../lifecycle/installations.js';
import { currentGeneration } from '../lifecycle/installed-rows.js';
import type { LifecycleServices, LifecycleSession } from '../lifecycle/lifecycle-services.js';
import { isSameGeneration } from '../lifecycle/plan.js';
import type { PreparedPlan, PreparedPlans } from '../lifecycle/prepared-plans.js';
import { settleChanges } from '../lifecycle/recovery.js';
import { servedRoots } from '../lifecycle/served-roots.js';
import { createQueue } from '../queue.js';
import { isGenerationOf } from './lock-entry.js';
import { lockFilePath, readLockFile } from './lock-file.js';
import { planLocked } from './locked-plan.js';

/** Plans that are made at once: while one waits for a server, another one works. */
const maxFetches = 3;
/** Packages of this machine that are stored at once. They are flushed to disk together. */
const maxLocal = 16;

interface LockedPlan extends PreparedPlan {
  readonly entry: LockedPackage;
}

interface PreparedRestore {
  readonly plan: LockPlan;
  readonly packages: readonly LockedPlan[];
}

/** Checks every package of the lock file before anything is installed. */
export async function prepareRestore(
  request: LockPlanRequest,
  prepared: PreparedPlans,
  session: LifecycleSession,
  services: LifecycleServices,
  reuse: 'no plans' | 'the last plans' = 'no plans',
): Promise<PreparedRestore> {
  const { root } = session.setup;
  const { signal = neverCanceled, allow, onProgress } = request;
  const entries = await wantedEntries(request, root);
  assertAllowed(allow ?? [], entries);
  const unchanged: UnchangedPackage[] = [];
  const wanted: LockedPackage[] = [];
  for (const entry of entries) {
    const same = await servedGeneration(entry, root, services);
    if (same === undefined) wanted.push(entry);
    else unchanged.push({ package: entry.id, version: same.version, generation: same.number });
  }
  const [fetching, storing] = [createQueue(maxFetches), createQueue(maxLocal)];
  let failure: unknown;
  const plan = async (entry: LockedPackage): Promise<LockedPlan> => {
    const last = reuse === 'the last plans' ? prepared.locked(keyOf(entry, root, allow)) : undefined;
    if (last !== undefined && services.store.has(last.candidate.tree)) return { entry, ...last };
    const options = { allow, onProgress, signal };
    const inTurn = 'path' in entry.locked ? storing : fetching;
    return inTurn(async () => {
      if (failure !== undefined) throw failure;
      try {
        return { entry, ...(await planLocked(entry, options, session, services)) };
      } catch (error) {
        failure ??= error;
        throw error;
      }
    });
  };
  const planning = wanted.map(plan);
  // Nothing is fetched any more when the error is reported.
  await Promise.allSettled(planning);
  const packages = await Promise.all(planning);
  prepared.keepLocked(new Map(packages.map((it) => [keyOf(it.entry, root, allow), it])));
  const plans = packages.map((it) => it.plan);
  return {
    plan: { file: lockFilePath(root), digest: await digestOf(entries, services), unchanged, plans },
    packages,
  };
}

/**
 * Installs what the lock file says. All packages are checked first; then each is installed as a whole. If one fails,
 * nothing of it stays, those before it stay, and those after it are not tried.
 */
export async function restoreLockFile(
  request: RestoreRequest,
  prepared: PreparedPlans,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<RestoreReport> {
  const { agree, by, values = {}, skipSmoke, onProgress, signal } = request;
  const { root } = session.setup;
  const digest = await digestOf(await wantedEntries(request, root), services);
  if (digest !== agree)
    throw new HostError(
      'integrity',
      `${lockFilePath(root)} is not what was agreed to: its digest is ${digest} now, not ${agree}`,
      { hint: 'look at it again: toolwharf plan' },
    );
  const { plan, packages } = await prepareRestore(request, prepared, session, services, 'the last plans');
  assertKnownPackages(values, packages, plan);
  for (const { plan: it, candidate } of packages) {
    const { id } = it.package;
    if (it.blockers.length > 0)
      throw new HostError('runtime_missing', `${id} cannot run here: ${it.blockers.join('; ')}`);
    await assertValues(candidate.catalog.package.slots, it, { values: values[id] });
  }
  const changes: PackageChange[] = plan.unchanged.map(unchangedPackage);
  if (packages.length === 0) return { file: plan.file, digest, changes };
  const who = await services.operatorAuth.verify(by, `install the packages of ${plan.file}`);
  const done: string[] = [];
  try {
    for (const { plan: it, candidate, entry } of packages) {
      const { id } = it.package;
      try {
        await settleChanges(id, { ...services, ...session });
        const installation = await services.rows.get(id);
        const current = await currentGeneration(services.rows, id);
        const isUnchanged = installation?.state === 'active' && isSameGeneration(current, it);
        const roots = servedRoots(installation, { onlyHere: true }, root);
        const environmentLocks = entry.environments;
        const agreed = {
          ...{ candidate, plan: it, current, isUnchanged, roots, who, environmentLocks },
          durability: 'delayed' as const,
        };
        const own = { agree: it.digest, values: values[id], by, skipSmoke, onProgress, signal };
        changes.push(await installCandidate(agreed, own, session, services));
        done.push(id);
      } catch (error) {
        throw done.length > 0 && error instanceof HostError ? afterOthers(error, done) : error;
      }
    }
  } finally {
    await services.rows.sync();
  }
  prepared.keepLocked(new Map());
  await removeOldGenerations({ ...services, ...session }, prepared.trees());
  return { file: plan.file, digest, changes };
}

/** All entries, or the one with the source. */
async function wantedEntries({ source }: LockPlanRequest, root: string): Promise<readonly LockedPackage[]> {
  const file = await readLockFile(root);
  if (file === undefined)
    throw new HostError('not_found', `there is no lock file at ${lockFilePath(root)}`, {
      hint: 'name a source; "toolwharf install SOURCE --save" writes a lock file',
    });
  const packages = [...file.packages].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (source === undefined) return packages;
  const plain = (text: string) => text.replace(/^\.\//, '').replace(/\/$/, '');
  const named = packages.filter((it) => plain(it.source) === plain(source) || it.id === source);
  if (named.length > 0) return named;
  throw new HostError('integrity', `${lockFilePath(root)} would change: it has no package from ${source}`, {
    hint: `it has ${packages.map((it) => it.source).join(', ') || 'none'}; add one with --save`,
  });
}

/** A plan is used again only by a caller that allows the same, in the same project. */
function keyOf(entry: LockedPackage, root: string, allow: readonly string[] = []): string {
  return canonicalJson({ entry: entry as unknown as Json, root, allow: [...allow].sort() });
}

/** Who agreed before an entry failed to start on this machine did not know, so failed ones count. */
async function digestOf(packages: readonly LockedPackage[], { rows }: LifecycleServices): Promise<string> {
  const failed: string[] = [];
  for (const { id, digest } of packages) {
    const generations = await rows.generations(id);
    const isFailed = generations.some((it) => it.trial?.state === 'failed' && it.digest === digest);
    if (isFailed) failed.push(id);
  }
  const marks = failed.length === 0 ? {} : { failed };
  return sha256(canonicalJson({ packages: packages as unknown as Json, ...marks }));
}

/** What is allowed here must be asked for by the lock file: more would not be what it says. */
function assertAllowed(allow: readonly string[], entries: readonly LockedPackage[]): void {
  const asked = new Set(entries.flatMap((it) => [...it.requires, ...it.grants]));
  const unknown = allow.find((it) => !asked.has(it));
  if (unknown !== undefined)
    throw new HostError('usage', `no package of the lock file asks for ${unknown}`, {
      hint: asked.size === 0 ? 'they ask for nothing' : `they ask for ${[...asked].sort().join(', ')}`,
    });
}

function assertKnownPackages(
  values: Readonly<Record<string, unknown>>,
  packages: readonly LockedPlan[],
  { unchanged }: LockPlan,
): void {
  const ids = [...packages.map((it) => it.entry.id), ...unchanged.map((it) => it.package)];
  const unknown = Object.keys(values).find((it) => !ids.includes(it));
  if (unknown !== undefined)
    throw new HostError('usage', `the lock file has no package ${unknown}`, {
      hint: `it has ${ids.join(', ') || 'none'}`,
    });
}

/** The generation that an entry means, if it is served here already. */
async function servedGeneration(
  entry: LockedPackage,
  root: string,
  { rows }: LifecycleServices,
): Promise<StoredGeneration | undefined> {
  const installation = await rows.get(entry.id);
  if (installation?.state !== 'active') return undefined;
  if (installation.roots !== null && !installation.roots.includes(root)) return undefined;
  const current = await currentGeneration(rows, entry.id);
  return isGenerationOf(entry, current, root) ? current : undefined;
}

function unchangedPackage({ package: id, version, generation }: UnchangedPackage): PackageChange {
  const to = { generation, version };
  return { package: id, operation: 'unchanged', from: to, to, steps: [], left: [], manualSteps: [] };
}

function afterOthers(error: HostError, done: readonly string[]): HostError {
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  const message = `${error.message}; already installed: ${done.join(', ')}`;
  return new HostError(error.code, message, { cause: error, ...hint });
}
