import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { parseRequest } from '../../policy/review/request.js';
import { assertCanBeSaved, withLockFiles } from '../lock/lock-keeping.js';
import { prepareRestore, restoreLockFile } from '../lock/restore.js';
import { failedAfter } from '../packages/installation-index.js';
import type { SessionSetup } from '../session-setup.js';
import { ServerTrials } from './added/server-trials.js';
import type { InstallCandidate } from './candidate.js';
import { removeOldGenerations } from './collect-garbage.js';
import { generationEntryOf } from './generation-entry.js';
import { installCandidate } from './install.js';
import { assertValues } from './install-values.js';
import type { Installations, InstalledPackage, OutdatedPackage, PlanRequest } from './installations.js';
import {
  assertServed,
  currentGeneration,
  existingGeneration,
  existingInstallation,
} from './installed-rows.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { newerVersion } from './newer-version.js';
import { installationOriginOf } from './origin.js';
import { isSameGeneration } from './plan.js';
import { PreparedPlans } from './prepared-plans.js';
import { settleChanges } from './recovery.js';
import { removePackage, revokePackage } from './revoke.js';
import { rollBack } from './rollback.js';
import { servedRoots } from './served-roots.js';
import { runSmoke } from './smoke.js';
import { usedBy } from './undo.js';

/** All changes of installations of one host. Sessions get their operations from `of`. */
export class Lifecycle {
  readonly #services: LifecycleServices;
  readonly #prepared: PreparedPlans;
  readonly #trials: ServerTrials;

  constructor(services: LifecycleServices) {
    this.#services = services;
    this.#prepared = new PreparedPlans(services);
    this.#trials = new ServerTrials(services);
  }

  /** The operations for one session. */
  of(session: LifecycleSession): Installations {
    const services = this.#services;
    const { rows, operatorAuth, queue } = services;
    return {
      plan: (request) =>
        queue(async () => (await this.#prepared.make(request, session)).plan, waitFor(request.signal)),
      draftServer: (request) =>
        queue(
          async () =>
            (await import('./added/server-draft.js')).draftServer(request, session, services.readers.formats),
          waitFor(request.signal),
        ),
      tryServer: (request) => queue(() => this.#trials.start(request, session), waitFor(request.signal)),
      checkValue: async ({ agree, name, value }) => {
        const slot = this.#prepared
          .get(agree)
          ?.candidate.catalog.package.slots.find((it) => it.name === name);
        if (slot === undefined)
          throw new HostError('not_found', `no plan ${agree} with a value ${name} is known`);
        const { valueProblem } = await import('../../secrets/value-check.js');
        return valueProblem(slot, value) ?? null;
      },
      install: (request) =>
        queue(async () => {
          const { agree, by } = request;
          const known = this.#prepared.get(agree);
          const isStored = known !== undefined && services.store.has(known.candidate.tree);
          const { plan, candidate } = isStored ? known : await this.#prepared.make(request, session);
          const { id } = plan.package;
          if (plan.digest !== agree)
            throw new HostError(
              'integrity',
              `${plan.source} is not what was agreed to: its plan is ${plan.digest} now, not ${agree}`,
              { hint: 'look at the new plan: toolwharf plan SOURCE' },
            );
          assertHashNamed(candidate, request);
          if (request.save === true) await assertCanBeSaved(candidate, session.setup.root);
          const [blocker] = plan.blockers;
          if (blocker !== undefined)
            throw new HostError('runtime_missing', `${id} cannot run here: ${plan.blockers.join('; ')}`);
          const who = await operatorAuth.verify(by, `install ${id}`);
          await assertValues(candidate.catalog.package.slots, plan, request);
          const trial = await this.#trials.take(id);
          await settleChanges(id, { ...services, ...session }, trial?.id);
          const installation = await rows.get(id);
          const current = await currentGeneration(rows, id);
          const isUnchanged = installation?.state === 'active' && isSameGeneration(current, plan);
          const { save = false, onlyHere = false } = request;
          const { root } = session.setup;
          const roots = servedRoots(
            installation,
            { source: request.source, onlyHere: onlyHere || save },
            root,
          );
          const change = await installCandidate(
            { candidate, plan, current, isUnchanged, roots, who, trial },
            request,
            session,
            services,
          );
          this.#prepared.delete(agree);
          await removeOldGenerations({ ...services, ...session }, this.#prepared.trees());
          return withLockFiles(change, { roots, save }, session, services);
        }, waitFor(request.signal)),
      planRestore: (request = {}) =>
        queue(
          async () => (await prepareRestore(request, this.#prepared, session, services)).plan,
          waitFor(request.signal),
        ),
      restore: (request) =>
        queue(() => restoreLockFile(request, this.#prepared, session, services), waitFor(request.signal)),
      why: (id) => installationOriginOf(id, session, services),
      list: async () => {
        const found: InstalledPackage[] = [];
        for (const it of await rows.list()) {
          const generations = await rows.generations(it.package);
          const current = generations.find(({ number }) => number === it.current);
          if (current === undefined) continue;
          const { version, source, smoke } = current;
          const wentBackFrom = failedAfter(current, generations);
          const failed = wentBackFrom === undefined ? {} : { wentBackFrom };
          found.push({ ...it, version, source, smoke, generations: generations.length, ...failed });
        }
        return found;
      },
      history: async (id) => {
        const installation = await existingInstallation(rows, id);
        const all = await rows.generations(id);
        return all.map((it) => generationEntryOf(it, it.number === installation.current)).reverse();
      },
      verify: (id, { signal = neverCanceled, onProgress } = {}) =>
        queue(async () => {
          const current = await existingGeneration(rows, id);
          assertServed(await existingInstallation(rows, id));
          onProgress?.({ step: 'check', detail: `the files of ${id}` });
          await services.store.verify(current.tree);
          const trial = await session.open(services.index.placeOf(current), 'use');
          try {
            const call = (tool: string, args: Json, timeoutMs: number) =>
              trial.session.call({ tool, arguments: args, timeoutMs, signal });
            const { now } = services;
            const runner = trial.catalog.runner(id);
            if (runner.package.smoke !== undefined)
              onProgress?.({ step: 'smoke', detail: `run the smoke test of ${id}` });
            const result = await runSmoke({ runner, call, now }, signal);
            await rows.setSmoke(id, current.number, result);
            services.index.changed();
            return result;
          } finally {
            await trial.close();
          }
        }, waitFor(signal)),
      rollback: (request) =>
        queue(async () => {
          const { package: id, by } = request;
          const who = async () => operatorAuth.verify(by, `roll back ${id}`);
          const change = await rollBack(request, who, session, services);
          const { roots } = await existingInstallation(rows, id);
          return withLockFiles(change, { roots, save: false }, session, services);
        }, waitFor(request.signal)),
      remove: (request) =>
        queue(async () => {
          const current = await existingGeneration(rows, request.package);
          const installation = await existingInstallation(rows, request.package);
          const who = await operatorAuth.verify(request.by, `remove ${request.package}`);
          const hasKillSwitch = parseRequest(current.agreement.request)?.killSwitch !== '';
          const leaving = { installation, current, who };
          const change = await removePackage(leaving, request, hasKillSwitch, session, services);
          return withLockFiles(change, { roots: installation.roots, save: false }, session, services);
        }, waitFor(request.signal)),
      revoke: (request) =>
        queue(async () => {
          const current = await existingGeneration(rows, request.package);
          const installation = await existingInstallation(rows, request.package);
          const who = await operatorAuth.verify(request.by, `revoke ${request.package}`);
          const change = await revokePackage({ installation, current, who }, request, session, services);
          return withLockFiles(change, { roots: installation.roots, save: false }, session, services);
        }, waitFor(request.signal)),
      outdated: ({ signal = neverCanceled, onProgress } = {}) =>
        queue(async () => {
          const found: OutdatedPackage[] = [];
          for (const { package: id, state } of await rows.list()) {
            const current = state === 'active' ? await currentGeneration(rows, id) : undefined;
            if (current === undefined) continue;
            onProgress?.({ step: 'check', detail: `the source of ${id}` });
            const newer = await newerVersion(current, session, services, signal);
            if (newer !== undefined) found.push(newer);
          }
          const { trees } = await usedBy(rows);
          await services.store.sweep(new Set([...trees, ...this.#prepared.trees()]));
          return found;
        }, waitFor(signal)),
      collectGarbage: (by) =>
        queue(async () => {
          const who = await operatorAuth.verify(by, 'remove old generations');
          this.#prepared.clear();
          await this.#trials.close();
          const report = await removeOldGenerations({ ...services, ...session }, []);
          await services.audit.append({ kind: 'operator', body: { operation: 'gc', ...report, ...who } });
          return report;
        }),
    };
  }

  /** Removes what trial starts of a session fetched for servers that nobody installed. */
  async endTrials(setup: SessionSetup): Promise<void> {
    if (this.#trials.has(setup)) await this.#services.queue(() => this.#trials.close(setup));
  }

  /** Revokes a package because of a violation. False: it is not installed. */
  revokeByPolicy(id: string, reason: string, session: LifecycleSession): Promise<boolean> {
    const services = this.#services;
    return services.queue(async () => {
      const installation = await services.rows.get(id);
      const current = await currentGeneration(services.rows, id);
      if (installation === undefined || current === undefined) return false;
      if (installation.state !== 'active') return true;
      const who = { by: 'policy' } as const;
      await revokePackage(
        { installation, current, who, reason },
        { package: id, by: 'policy' },
        session,
        services,
      );
      return true;
    });
  }

  /** Removes the files of plans that nobody agreed to. */
  async close(): Promise<void> {
    const hadTrials = await this.#trials.close();
    if (this.#prepared.isEmpty && !hadTrials) return;
    this.#prepared.clear();
    const generations = await this.#services.rows.generations();
    await this.#services.store.sweep(new Set(generations.map((it) => it.tree)));
  }
}

/** A URL alone does not say what is behind it: somebody must have named its hash. */
function assertHashNamed(
  { acquired: { locked }, text }: InstallCandidate,
  { sha256, source }: PlanRequest,
): void {
  if (locked.kind !== 'https' || source === undefined || sha256 !== undefined) return;
  if (text.includes('#sha256=')) return;
  throw new HostError('usage', `${text} is installed only with its hash`, {
    hint: `if this is the file that you expect: --sha256 ${locked.sha256}`,
  });
}

/** Ends the waiting for earlier changes. */
function waitFor(signal: CancelSignal | undefined): () => CancelSignal {
  return () => signal ?? neverCanceled;
}
