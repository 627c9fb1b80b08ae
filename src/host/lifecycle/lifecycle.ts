import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import type { Plan } from '../../model/plan.js';
import { parseRequest } from '../../policy/review/request.js';
import type { StoredGeneration } from '../../store/installations.js';
import { type InstallCandidate, prepareCandidate } from './candidate.js';
import { removeOldGenerations } from './collect-garbage.js';
import { readEstimate } from './cost-estimate.js';
import { generationEntryOf } from './generation-entry.js';
import { installCandidate, served } from './install.js';
import type { Installations, InstalledPackage, OutdatedPackage, PlanRequest } from './installations.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { newerVersion } from './newer-version.js';
import { planOf } from './plan.js';
import { planFacts } from './plan-facts.js';
import { settleChanges } from './recovery.js';
import { requestedSource } from './requested-source.js';
import { assertServed, notInstalled, removePackage, revokePackage } from './revoke.js';
import { runSmoke } from './smoke.js';
import { usedBy } from './undo.js';

/** A plan with its candidate, kept so that agreeing to it does not fetch everything again. */
interface PreparedPlan {
  readonly plan: Plan;
  readonly candidate: InstallCandidate;
}

/** Plans that may still be agreed to; the oldest is forgotten. */
const maxPrepared = 8;

/** All changes of installations of one host. Sessions get their operations from `of`. */
export class Lifecycle {
  readonly #services: LifecycleServices;
  readonly #prepared = new Map<string, PreparedPlan>();

  constructor(services: LifecycleServices) {
    this.#services = services;
  }

  /** The operations for one session. */
  of(session: LifecycleSession): Installations {
    const services = this.#services;
    const { rows, operatorAuth, queue } = services;
    return {
      plan: (request) =>
        queue(async () => (await this.#prepare(request, session)).plan, waitFor(request.signal)),
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
          const { plan, candidate } = isStored ? known : await this.#prepare(request, session);
          const { id } = plan.package;
          if (plan.digest !== agree)
            throw new HostError(
              'integrity',
              `${plan.source} is not what was agreed to: its plan is ${plan.digest} now, not ${agree}`,
              { hint: 'look at the new plan: toolwharf plan SOURCE' },
            );
          assertHashNamed(candidate, request);
          const [blocker] = plan.blockers;
          if (blocker !== undefined)
            throw new HostError('runtime_missing', `${id} cannot run here: ${plan.blockers.join('; ')}`);
          const who = await operatorAuth.verify(by, `install ${id}`);
          await settleChanges(id, { ...services, ...session });
          const installation = await rows.get(id);
          const current = await this.#current(id);
          const root = request.onlyHere === true ? session.setup.root : (installation?.root ?? null);
          const change = await installCandidate(
            { candidate, plan, current, root, who },
            request,
            session,
            services,
          );
          this.#prepared.delete(agree);
          await removeOldGenerations({ ...services, ...session }, this.#preparedTrees());
          return change;
        }, waitFor(request.signal)),
      list: async () => {
        const found: InstalledPackage[] = [];
        for (const it of await rows.list()) {
          const generations = await rows.generations(it.package);
          const current = generations.find(({ number }) => number === it.current);
          if (current === undefined) continue;
          const { version, source, smoke } = current;
          found.push({ ...it, version, source, smoke, generations: generations.length });
        }
        return found;
      },
      history: async (id) => {
        const installation = await rows.get(id);
        if (installation === undefined) throw notInstalled(id);
        const all = await rows.generations(id);
        return all.map((it) => generationEntryOf(it, it.number === installation.current)).reverse();
      },
      verify: (id, { signal = neverCanceled } = {}) =>
        queue(async () => {
          const current = await this.#existing(id);
          assertServed(await this.#installation(id));
          const trial = await session.open(services.index.placeOf(current), 'use');
          try {
            const call = (tool: string, args: Json, timeoutMs: number) =>
              trial.session.call({ tool, arguments: args, timeoutMs, signal });
            const { now } = services;
            const result = await runSmoke({ runner: trial.catalog.runner(id), call, now }, signal);
            await rows.setSmoke(id, current.number, result);
            services.index.changed();
            return result;
          } finally {
            await trial.close();
          }
        }, waitFor(signal)),
      rollback: ({ package: id, generation, by, signal }) =>
        queue(async () => {
          await settleChanges(id, { ...services, ...session });
          const installation = await this.#installation(id);
          assertServed(installation);
          const current = await this.#existing(id);
          const target = await this.#rollbackTarget(id, current, generation);
          const who = await operatorAuth.verify(by, `roll back ${id}`);
          await services.store.verify(target.tree);
          const generations = { from: current.number, to: target.number };
          const body = { operation: 'rollback', package: id, ...generations, ...who };
          const journal = services.newId('chg');
          await services.journal.begin({ id: journal, package: id, operation: 'rollback' });
          await services.audit.append({ kind: 'operator', body });
          await rows.pointTo(target, installation.root, journal);
          served(current, services);
          return {
            package: id,
            operation: 'rollback',
            from: { generation: current.number, version: current.version },
            to: { generation: target.number, version: target.version },
            steps: [{ name: 'switch', status: 'done', detail: `serve generation ${target.number}` }],
            left: [],
          };
        }, waitFor(signal)),
      remove: (request) =>
        queue(async () => {
          const current = await this.#existing(request.package);
          const installation = await this.#installation(request.package);
          const who = await operatorAuth.verify(request.by, `remove ${request.package}`);
          const hasKillSwitch = parseRequest(current.agreement.request)?.killSwitch !== '';
          return removePackage({ installation, current, who }, request, hasKillSwitch, session, services);
        }, waitFor(request.signal)),
      revoke: (request) =>
        queue(async () => {
          const current = await this.#existing(request.package);
          const installation = await this.#installation(request.package);
          const who = await operatorAuth.verify(request.by, `revoke ${request.package}`);
          return revokePackage({ installation, current, who }, request, session, services);
        }, waitFor(request.signal)),
      outdated: ({ signal = neverCanceled } = {}) =>
        queue(async () => {
          const found: OutdatedPackage[] = [];
          for (const { package: id, state } of await rows.list()) {
            const current = state === 'active' ? await this.#current(id) : undefined;
            if (current === undefined) continue;
            const newer = await newerVersion(current, session, services, signal);
            if (newer !== undefined) found.push(newer);
          }
          const { trees } = await usedBy(rows);
          await services.store.sweep(new Set([...trees, ...this.#preparedTrees()]));
          return found;
        }, waitFor(signal)),
      collectGarbage: (by) =>
        queue(async () => {
          const who = await operatorAuth.verify(by, 'remove old generations');
          this.#prepared.clear();
          const report = await removeOldGenerations({ ...services, ...session }, []);
          await services.audit.append({ kind: 'operator', body: { operation: 'gc', ...report, ...who } });
          return report;
        }),
    };
  }

  /** Removes the files of plans that nobody agreed to. */
  async close(): Promise<void> {
    if (this.#prepared.size === 0) return;
    this.#prepared.clear();
    const generations = await this.#services.rows.generations();
    await this.#services.store.sweep(new Set(generations.map((it) => it.tree)));
  }

  #preparedTrees(): string[] {
    return [...this.#prepared.values()].flatMap(({ candidate }) => [candidate.tree, candidate.acquired.tree]);
  }

  async #prepare(request: PlanRequest, session: LifecycleSession): Promise<PreparedPlan> {
    const { signal = neverCanceled, allow = [], onProgress } = request;
    const services = this.#services;
    const { text, source, id, current: updated } = await this.#requested(request, session);
    const candidate = await prepareCandidate(
      {
        ...{ text, source, id, signal },
        ...{ allow, granted: updated?.grants ?? [] },
        onProgress: (it) =>
          onProgress?.({
            ...{ step: 'fetch', detail: `${it.step} ${it.detail}` },
            ...(it.bytes === undefined ? {} : { bytes: it.bytes }),
            ...(it.totalBytes === undefined ? {} : { totalBytes: it.totalBytes }),
          }),
      },
      session,
      services,
    );
    const current = await this.#current(candidate.catalog.package.id);
    const facts = await planFacts(candidate, current, session, services);
    const base = planOf(candidate, facts);
    const { cost } = candidate.catalog.package;
    const estimate =
      request.estimate === true && cost?.estimateUrl !== undefined
        ? await readEstimate(cost.estimateUrl, session, services.now, signal)
        : undefined;
    const plan = estimate === undefined ? base : { ...base, cost: { ...cost, estimate } };
    this.#prepared.delete(plan.digest);
    this.#prepared.set(plan.digest, { plan, candidate });
    for (const [oldest] of [...this.#prepared].slice(0, -maxPrepared)) this.#prepared.delete(oldest);
    return { plan, candidate };
  }

  /** The source of a request: as written, or that of the installed package. */
  async #requested(request: PlanRequest, { setup }: LifecycleSession) {
    const { source: text, sha256, package: id } = request;
    const { formats } = this.#services.readers;
    if (text === undefined) {
      if (id === undefined) throw new HostError('usage', 'name a source, or an installed package');
      const current = await this.#existing(id);
      return { ...requestedSource(current.source, setup.root, undefined, formats), id, current };
    }
    return { ...requestedSource(text, setup.root, sha256, formats), id, current: undefined };
  }

  async #current(id: string): Promise<StoredGeneration | undefined> {
    const installation = await this.#services.rows.get(id);
    return installation && this.#services.rows.generation(id, installation.current);
  }

  async #existing(id: string): Promise<StoredGeneration> {
    const current = await this.#current(id);
    if (current === undefined) throw notInstalled(id);
    return current;
  }

  async #installation(id: string) {
    const installation = await this.#services.rows.get(id);
    if (installation === undefined) throw notInstalled(id);
    return installation;
  }

  async #rollbackTarget(id: string, current: StoredGeneration, wanted: number | undefined) {
    const all = await this.#services.rows.generations(id);
    const target =
      wanted === undefined
        ? all.filter((it) => it.number < current.number).at(-1)
        : all.find((it) => it.number === wanted);
    if (target !== undefined && target.number !== current.number) return target;
    const numbers = all.map((it) => it.number).join(', ');
    throw new HostError(
      'not_found',
      wanted === undefined
        ? `${id} has no earlier generation`
        : target === undefined
          ? `${id} has no generation ${wanted}`
          : `${id} is at generation ${wanted} already`,
      { hint: `its generations are ${numbers}; see "toolwharf history ${id}"` },
    );
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
