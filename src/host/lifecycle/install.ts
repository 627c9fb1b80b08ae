import { realPathOf } from '../../files/real-path.js';
import { neverCanceled } from '../../model/cancel-signal.js';
import type { PackageChange } from '../../model/change.js';
import { HostError } from '../../model/host-error.js';
import { imageReferenceText } from '../../model/image-reference.js';
import type { SmokeResult } from '../../model/installation.js';
import type { Json } from '../../model/json.js';
import type { Plan } from '../../model/plan.js';
import type { Slot } from '../../model/slot.js';
import type { ValueAudience } from '../../secrets/audience.js';
import type { StoredGeneration } from '../../store/installations.js';
import type { VerifiedActor } from '../operator/operator-auth.js';
import { agreementOf } from '../packages/agreements.js';
import type { InstallCandidate } from './candidate.js';
import { ChangeSteps } from './change-steps.js';
import type { InstallRequest } from './installations.js';
import type { CandidateSession, LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { runSmoke } from './smoke.js';
import { undoChange } from './undo.js';

export interface AgreedCandidate {
  readonly candidate: InstallCandidate;
  readonly plan: Plan;
  readonly current: StoredGeneration | undefined;
  /** Null: served to all sessions. */
  readonly root: string | null;
  readonly who: VerifiedActor;
}

/**
 * Installs what was agreed to: credentials, environment, smoke test, switch. Every step before the switch is in the
 * journal, and is undone if a later one fails or the host is killed.
 */
export async function installCandidate(
  agreed: AgreedCandidate,
  request: InstallRequest,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<PackageChange> {
  const { candidate, plan, current, root, who } = agreed;
  const { package: pkg } = candidate.catalog;
  const { signal = neverCanceled } = request;
  const steps = new ChangeSteps(pkg.id, request.onProgress);
  steps.record({ name: 'fetch', status: 'done', detail: plan.resolved });
  steps.record({ name: 'agree', status: 'done', detail: `plan ${plan.digest.slice(0, 12)}` });
  await assertValues(pkg.slots, plan, request);
  services.kills.assertNotKilled({ principal: session.setup.principal, package: pkg.id });
  const journal = services.newId('chg');
  const operation = current === undefined ? 'install' : 'update';
  await services.journal.begin({ id: journal, package: pkg.id, operation });
  try {
    await steps.run(
      'credentials',
      'store values',
      () => storeValues(candidate, request, journal, services),
      (count) => (count === 0 ? { status: 'unchanged' } : { status: 'done', detail: `${count} stored` }),
    );
    const trial = await session.open(candidate.place, 'use');
    let made: MadeEnvironment;
    let smoke: SmokeResult;
    try {
      made = await steps.run('environment', 'fetch dependencies', () =>
        makeEnvironment(pkg.id, trial, journal, request, steps, session, services),
      );
      smoke =
        request.skipSmoke === true
          ? { status: 'skipped', at: services.now() }
          : await steps.run(
              'smoke',
              'run the smoke test',
              () => passSmoke(pkg.id, trial, signal, services),
              (it) => ({ status: it.status === 'none' ? 'skipped' : 'done' }),
            );
      if (request.skipSmoke === true) steps.record({ name: 'smoke', status: 'skipped' });
    } finally {
      await trial.close();
    }
    if (signal.aborted) throw new HostError('canceled', `installing ${pkg.id} was canceled`);
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
      await services.audit.append({ kind: 'operator', body });
      await services.rows.switchTo(generation, root, journal);
    });
    served(current, services);
    return {
      package: pkg.id,
      operation,
      ...(current === undefined ? {} : { from: { generation: current.number, version: current.version } }),
      to: { generation: generation.number, version: generation.version },
      steps: steps.list,
      left: [],
    };
  } catch (error) {
    const entry = await services.journal.get(journal);
    if (entry !== undefined) await undoChange(entry, { ...services, ...session });
    throw error;
  }
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

/** Throws if a value is unknown, missing or not valid. Nothing has happened yet. */
async function assertValues(
  slots: readonly Slot[],
  { credentials, package: { id } }: Plan,
  request: InstallRequest,
): Promise<void> {
  const { values = {} } = request;
  const unknown = Object.keys(values).find((name) => !slots.some((it) => it.name === name));
  if (unknown !== undefined)
    throw new HostError('usage', `${id} has no value named ${unknown}`, {
      hint: `it uses ${slots.map((it) => it.name).join(', ') || 'no values'}`,
    });
  const missing = credentials.filter(
    (it) => it.required && !it.isSet && it.default === undefined && !Object.hasOwn(values, it.name),
  );
  if (missing.length > 0)
    throw new HostError('needs_setup', `${id} needs ${missing.map((it) => it.name).join(', ')}`, {
      hint: missing.map((it) => `--secret ${it.name}=@FILE`).join(' '),
    });
  const { valueProblem } = await import('../../secrets/value-check.js');
  for (const slot of slots) {
    const value = Object.hasOwn(values, slot.name) ? values[slot.name] : undefined;
    const problem = value === undefined ? undefined : valueProblem(slot, value);
    if (problem !== undefined)
      throw new HostError('invalid_input', `the value of ${slot.name} is not valid: ${problem}`);
  }
}

/** Returns how many values were stored. The values that they replace are in the journal first. */
async function storeValues(
  { catalog, place }: InstallCandidate,
  { values = {}, recipients = {} }: InstallRequest,
  journal: string,
  services: LifecycleServices,
): Promise<number> {
  const { slots, id, permissions } = catalog.package;
  const { network } = permissions;
  const hosts = [
    ...(network.kind === 'hosts' ? network.hosts.map((it) => it.host) : []),
    ...place.grants.flatMap((it) => /^net:([^:[\]]+)/.exec(it)?.[1] ?? []),
  ];
  let count = 0;
  for (const slot of slots) {
    const value = Object.hasOwn(values, slot.name) ? values[slot.name] : undefined;
    if (value === undefined) continue;
    await services.journal.addSecret(journal, id, slot.name);
    const audience = audienceOf(slot, recipients[slot.name], hosts);
    await services.vault.set({ package: id, slot: slot.name, value, audience });
    count++;
  }
  return count;
}

/** A format without audiences: the secret may go where the package may go, and nowhere else. */
function audienceOf(
  slot: Slot,
  named: readonly string[] | undefined,
  hosts: readonly string[],
): ValueAudience {
  if (named !== undefined && named.length > 0) return { kind: 'hosts', hosts: named };
  if (slot.secret && slot.audience.kind === 'unbound' && hosts.length > 0) return { kind: 'hosts', hosts };
  return { kind: 'manifest' };
}

interface MadeEnvironment {
  readonly environments: readonly string[];
  readonly images: readonly string[];
}

async function makeEnvironment(
  id: string,
  { catalog }: CandidateSession,
  journal: string,
  { signal = neverCanceled }: InstallRequest,
  steps: ChangeSteps,
  { environments, containers }: LifecycleSession,
  services: LifecycleServices,
): Promise<MadeEnvironment> {
  const { needs } = catalog.runner(id).checked;
  const needed = needs.flatMap((it) => it.packages ?? []);
  const images = needs.flatMap((it) => it.image ?? []);
  const missing = needed.filter((it) => environments.find(it) === undefined);
  const missingImages: string[] = [];
  for (const it of images) if (!(await containers.has(it))) missingImages.push(imageReferenceText(it));
  await services.journal.add(journal, {
    environments: missing.map((it) => environments.place(it)),
    images: missingImages,
  });
  const onStep = (detail: string) => steps.progress({ step: 'environment', detail });
  await catalog.install(id, { signal, onStep });
  return {
    environments: [...new Set(needed.map((it) => environments.place(it)))],
    images: [...new Set(images.map(imageReferenceText))],
  };
}

async function passSmoke(
  id: string,
  { catalog, session }: CandidateSession,
  signal: InstallRequest['signal'] & object,
  { now }: LifecycleServices,
): Promise<SmokeResult> {
  const call = (tool: string, args: Json, timeoutMs: number) =>
    session.call({ tool, arguments: args, timeoutMs, signal });
  const result = await runSmoke({ runner: catalog.runner(id), call, now }, signal);
  if (result.status !== 'failed') return result;
  throw new HostError(
    'tool_failed',
    `the smoke test did not pass: ${result.detail ?? 'no reason was given'}`,
    {
      hint: 'ask the author, or install it with --skip-smoke, which is recorded',
    },
  );
}

async function nextGeneration(
  { candidate, plan, who }: AgreedCandidate,
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
    ...made,
    agreement: { manifest: realManifest, request, text: shown, paths, acceptedBy: who.by },
    createdAt: now(),
    createdBy: who.by,
  };
}
