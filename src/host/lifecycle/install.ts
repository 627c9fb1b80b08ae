import { realPathOf } from '../../files/real-path.js';
import { neverCanceled } from '../../model/cancel-signal.js';
import type { PackageChange } from '../../model/change.js';
import { HostError } from '../../model/host-error.js';
import type { Installation, SmokeResult } from '../../model/installation.js';
import type { Json } from '../../model/json.js';
import type { EnvironmentLock } from '../../model/lock-file.js';
import type { Plan } from '../../model/plan.js';
import type { Violation } from '../../model/violation.js';
import { stageValues } from '../../secrets/staged-values.js';
import type { JournalEntry } from '../../store/change-journal.js';
import type { StoredGeneration } from '../../store/installations.js';
import type { VerifiedActor } from '../operator/operator-auth.js';
import { agreementOf } from '../packages/agreements.js';
import type { InstallCandidate } from './candidate.js';
import { ChangeSteps } from './change-steps.js';
import { type MadeEnvironment, makeEnvironment } from './install-environment.js';
import { valuesOf } from './install-values.js';
import type { InstallRequest } from './installations.js';
import type { CandidateSession, LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { trySmoke } from './smoke.js';
import { undoChange } from './undo.js';

export interface AgreedCandidate {
  readonly candidate: InstallCandidate;
  readonly plan: Plan;
  readonly current: StoredGeneration | undefined;
  /** Whether the current generation is exactly this. Then it is only tested again. */
  readonly isUnchanged: boolean;
  readonly roots: Installation['roots'];
  /** The language packages that it must have; absent: they are resolved once. */
  readonly environmentLocks?: readonly EnvironmentLock[] | undefined;
  readonly who: VerifiedActor;
  /** `delayed`: the caller waits for the disk after several installations. */
  readonly durability?: 'delayed' | undefined;
  /** The journal entry of a trial start, whose language packages and images are used. */
  readonly trial?: JournalEntry | undefined;
}

/**
 * Installs what was agreed to, with values that were checked: credentials, environment, smoke test, switch. Every step before the switch is in the
 * journal, and is undone if a later one fails or the host is killed.
 */
export async function installCandidate(
  agreed: AgreedCandidate,
  request: InstallRequest,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<PackageChange> {
  const { candidate, plan, current, isUnchanged, roots, who } = agreed;
  const { package: pkg } = candidate.catalog;
  const { signal = neverCanceled } = request;
  const steps = new ChangeSteps(pkg.id, request.onProgress);
  steps.record({ name: 'fetch', status: 'done', detail: plan.resolved });
  steps.record({ name: 'agree', status: 'done', detail: `plan ${plan.digest.slice(0, 12)}` });
  services.kills.assertNotKilled({ principal: session.setup.principal, package: pkg.id });
  const journal = services.newId('chg');
  const operation = current === undefined ? 'install' : isUnchanged ? 'unchanged' : 'update';
  await beginAfterTrial({ id: journal, package: pkg.id, operation }, agreed.trial, services);
  const values = valuesOf(candidate, request);
  // Only the trial sees them. They are stored with the switch.
  const staged = stageValues(services.vault, values, services.now);
  try {
    await steps.run(
      'credentials',
      'check values',
      () => staged.seal(),
      ({ length }) =>
        length === 0 ? { status: 'unchanged' } : { status: 'done', detail: `${length} stored` },
    );
    const violations: Violation[] = [];
    const trial = await session.open(candidate.place, 'use', { values: staged.vault, violations });
    let made: MadeEnvironment;
    let smoke: SmokeResult;
    try {
      made = await steps.run('environment', 'fetch dependencies', () =>
        makeEnvironment(pkg.id, trial, journal, request, steps, session, services, agreed.environmentLocks),
      );
      smoke =
        request.skipSmoke === true
          ? { status: 'skipped', at: services.now() }
          : await steps.run(
              'smoke',
              'run the smoke test',
              () => passSmoke(agreed, trial, violations, request, services),
              (it) =>
                it.status === 'skipped'
                  ? { status: 'skipped', ...(it.detail === undefined ? {} : { detail: it.detail }) }
                  : { status: it.status === 'none' ? 'skipped' : 'done' },
            );
      if (request.skipSmoke === true) steps.record({ name: 'smoke', status: 'skipped' });
    } finally {
      services.violations.endTrial(pkg.id);
      await trial.close();
    }
    if (signal.aborted) throw new HostError('canceled', `installing ${pkg.id} was canceled`);
    if (current !== undefined && isUnchanged) {
      await keepGeneration(current, agreed, smoke, services);
      await services.rows.keep(current, roots, journal, await staged.seal());
      if (values.length > 0) services.vault.forgetCached();
      services.violations.using(pkg.id, session.setup);
      services.index.changed();
      const detail = `generation ${current.number} is exactly this`;
      steps.record({ name: 'switch', status: 'unchanged', detail });
      const to = { generation: current.number, version: current.version };
      return { package: pkg.id, operation, from: to, to, steps: steps.list, left: [], manualSteps: [] };
    }
    const generation = await nextGeneration(agreed, made, smoke, services);
    await steps.run('switch', `serve generation ${generation.number}`, async () => {
      const to = { generation: generation.number, version: generation.version, digest: generation.digest };
      const body = {
        ...{ operation, package: pkg.id, source: plan.source, resolved: plan.resolved, plan: plan.digest },
        ...{
          from: current?.number ?? null,
          to: to as Json,
          grants: plan.grants,
          smoke: smoke.status,
          ...who,
        },
      };
      // On disk with the switch, whose commit follows.
      await services.audit.append({ kind: 'operator', body }, 'group');
      await services.rows.switchTo(generation, roots, journal, await staged.seal(), agreed.durability);
    });
    if (values.length > 0) services.vault.forgetCached();
    await services.revoked.remove(pkg.id);
    await services.violations.forget(pkg.id);
    // Programs that the smoke test started may still run: for the policy, this session uses them until another one does.
    services.violations.using(pkg.id, session.setup);
    served(current, services);
    return {
      package: pkg.id,
      operation,
      ...(current === undefined ? {} : { from: { generation: current.number, version: current.version } }),
      to: { generation: generation.number, version: generation.version },
      steps: steps.list,
      left: [
        ...(smoke.status === 'skipped' && smoke.detail !== undefined ? [smoke.detail] : []),
        ...made.scripts.map(
          (it) => `${it} needs a build step that was not run; if something is missing: --allow-scripts ${it}`,
        ),
      ],
      manualSteps: [],
    };
  } catch (error) {
    const entry = await services.journal.get(journal);
    if (entry !== undefined) await undoChange(entry, { ...services, ...session });
    throw error;
  } finally {
    staged.end();
  }
}

/** Begins the journal entry. What a trial start made belongs to it from then on. */
async function beginAfterTrial(
  entry: Omit<JournalEntry, 'made'>,
  trial: JournalEntry | undefined,
  { journal }: LifecycleServices,
): Promise<void> {
  await journal.begin({ ...entry, ...(trial === undefined ? {} : { made: trial.made }) });
  if (trial !== undefined) await journal.end(trial.id);
}

/** After a switch: open sessions load the new generation, and held calls of the old one are void. */
export function served(before: StoredGeneration | undefined, services: LifecycleServices): void {
  const { index, agreements, notifyChanged, invalidate } = services;
  index.changed();
  agreements.changed();
  if (before !== undefined)
    void invalidate({ definition: before.digest }, 'another generation of the package is served').catch(
      () => {},
    );
  notifyChanged();
}

/** Stores the result of the test. Nothing else about the generation changes. */
async function keepGeneration(
  { package: id, number }: StoredGeneration,
  { plan, who }: AgreedCandidate,
  smoke: SmokeResult,
  { rows, audit }: LifecycleServices,
): Promise<void> {
  const body = {
    operation: 'verify',
    package: id,
    generation: number,
    plan: plan.digest,
    smoke: smoke.status,
  };
  await audit.append({ kind: 'operator', body: { ...body, ...who } });
  if (smoke.status !== 'skipped') await rows.setSmoke(id, number, smoke);
}

async function passSmoke(
  { current, isUnchanged, plan }: AgreedCandidate,
  { catalog, session }: CandidateSession,
  violations: readonly Violation[],
  { signal = neverCanceled, values = {} }: InstallRequest,
  { now, rows, index }: LifecycleServices,
): Promise<SmokeResult> {
  const call = (tool: string, args: Json, timeoutMs: number) =>
    session.call({ tool, arguments: args, timeoutMs, signal });
  const services = { runner: catalog.runner(plan.package.id), call, now };
  const { result, needsSignIn } = await trySmoke(services, signal);
  const [violation] = violations;
  if (violation !== undefined)
    throw new HostError(
      'denied',
      `during the smoke test, ${plan.package.id} acted against its grant: ${violation.detail}`,
      {
        hint: 'do not install it; if this access is right, its manifest must ask for it',
      },
    );
  if (result.status !== 'failed') return result;
  // A person can sign in only to what is installed. Until then the package is not ready, and says so.
  if (needsSignIn && current === undefined) return { ...result, status: 'skipped' };
  // With new values the failure says nothing about the generation, because the old values return.
  if (current !== undefined && isUnchanged && Object.keys(values).length === 0) {
    await rows.setSmoke(current.package, current.number, result);
    index.changed();
  }
  throw new HostError(
    'tool_failed',
    `the smoke test did not pass: ${result.detail ?? 'no reason was given'}`,
    { hint: 'ask the author, or install it with --skip-smoke, which is recorded' },
  );
}

async function nextGeneration(
  { candidate, plan, current, who }: AgreedCandidate,
  made: MadeEnvironment,
  smoke: SmokeResult,
  { rows, now }: LifecycleServices,
): Promise<StoredGeneration> {
  const { catalog, loaded, text, acquired, tree, manifest, lock, place } = candidate;
  const { id, version } = catalog.package;
  const last = (await rows.generations(id)).at(-1);
  const { request, text: shown, paths } = agreementOf(loaded, place.manifest, who.by);
  const realManifest = realPathOf(place.manifest) ?? place.manifest;
  return {
    ...{ package: id, number: (last?.number ?? 0) + 1, version, source: text, locked: acquired.locked },
    ...{ tree, manifest, digest: catalog.digest, plan: plan.digest, lock, grants: place.grants, smoke },
    ...{ environments: made.environments, images: made.images },
    trial: current === undefined ? null : { state: 'open', failures: 0, at: now() },
    agreement: { manifest: realManifest, request, text: shown, paths, acceptedBy: who.by },
    createdAt: now(),
    createdBy: who.by,
  };
}
