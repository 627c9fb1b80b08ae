import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { Plan } from '../../model/plan.js';
import { type CandidateOptions, type InstallCandidate, prepareCandidate } from './candidate.js';
import { readEstimate } from './cost-estimate.js';
import type { PlanRequest } from './installations.js';
import {
  assertServed,
  currentGeneration,
  existingGeneration,
  existingInstallation,
} from './installed-rows.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { planOf } from './plan.js';
import { planFacts } from './plan-facts.js';
import { requestedSource } from './requested-source.js';

/** A plan with its candidate, kept so that agreeing to it does not fetch everything again. */
export interface PreparedPlan {
  readonly plan: Plan;
  readonly candidate: InstallCandidate;
}

/** Plans that may still be agreed to; the oldest is forgotten. */
const maxPrepared = 8;

/** Fetches what a plan is about, and makes the plan. */
export async function preparePlan(
  options: CandidateOptions,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<PreparedPlan> {
  const candidate = await prepareCandidate(options, session, services);
  const current = await currentGeneration(services.rows, candidate.catalog.package.id);
  const facts = await planFacts(candidate, current, session, services);
  return { plan: planOf(candidate, facts), candidate };
}

/** Reports the steps of fetching as one step of a change. */
export function fetchProgress(onProgress: PlanRequest['onProgress']): CandidateOptions['onProgress'] {
  return (it) =>
    onProgress?.({
      ...{ step: 'fetch', detail: `${it.step} ${it.detail}` },
      ...(it.bytes === undefined ? {} : { bytes: it.bytes }),
      ...(it.totalBytes === undefined ? {} : { totalBytes: it.totalBytes }),
    });
}

/** Makes plans, and keeps the last ones by their digest. */
export class PreparedPlans {
  readonly #services: LifecycleServices;
  readonly #plans = new Map<string, PreparedPlan>();
  #locked: ReadonlyMap<string, PreparedPlan> = new Map();

  constructor(services: LifecycleServices) {
    this.#services = services;
  }

  get isEmpty(): boolean {
    return this.#plans.size === 0 && this.#locked.size === 0;
  }

  /** A plan by its digest, also one of a lock file. */
  get(digest: string): PreparedPlan | undefined {
    return this.#plans.get(digest) ?? [...this.#locked.values()].find((it) => it.plan.digest === digest);
  }

  /** Keeps the plans of a lock file, by their entries, until the next one is planned. */
  keepLocked(plans: ReadonlyMap<string, PreparedPlan>): void {
    this.#locked = plans;
  }

  locked(entry: string): PreparedPlan | undefined {
    return this.#locked.get(entry);
  }

  delete(digest: string): void {
    this.#plans.delete(digest);
  }

  clear(): void {
    this.#plans.clear();
    this.#locked = new Map();
  }

  /** The trees that these plans need. */
  trees(): string[] {
    return [...this.#plans.values(), ...this.#locked.values()].flatMap(({ candidate }) => [
      candidate.tree,
      candidate.acquired.tree,
    ]);
  }

  async make(request: PlanRequest, session: LifecycleSession): Promise<PreparedPlan> {
    const { signal = neverCanceled, allow = [], onProgress } = request;
    const services = this.#services;
    const { text, source, id, current: updated } = await this.#requested(request, session);
    const granted = updated?.grants ?? [];
    const { plan: base, candidate } = await preparePlan(
      { text, source, id, signal, allow, granted, onProgress: fetchProgress(onProgress) },
      session,
      services,
    );
    const { cost } = candidate.catalog.package;
    const estimate =
      request.estimate === true && cost?.estimateUrl !== undefined
        ? await readEstimate(cost.estimateUrl, candidate.place.grants, session, services.now, signal)
        : undefined;
    const plan = estimate === undefined ? base : { ...base, cost: { ...cost, estimate } };
    this.#plans.delete(plan.digest);
    this.#plans.set(plan.digest, { plan, candidate });
    for (const [oldest] of [...this.#plans].slice(0, -maxPrepared)) this.#plans.delete(oldest);
    return { plan, candidate };
  }

  /** The source of a request: as written, or that of the installed package. */
  async #requested(request: PlanRequest, { setup }: LifecycleSession) {
    const { source: text, sha256, package: id } = request;
    const { formats } = this.#services.readers;
    if (text === undefined) {
      if (id === undefined) throw new HostError('usage', 'name a source, or an installed package');
      const { rows } = this.#services;
      const current = await existingGeneration(rows, id);
      assertServed(await existingInstallation(rows, id));
      return { ...requestedSource(current.source, setup.root, undefined, formats), id, current };
    }
    return { ...requestedSource(text, setup.root, sha256, formats), id, current: undefined };
  }
}
