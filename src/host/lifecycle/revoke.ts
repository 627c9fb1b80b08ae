import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import type { PackageChange } from '../../model/change.js';
import { HostError } from '../../model/host-error.js';
import type { Installation } from '../../model/installation.js';
import { parseGrants } from '../../policy/grant.js';
import type { JournalEntry } from '../../store/change-journal.js';
import type { StoredGeneration } from '../../store/installations.js';
import type { VerifiedActor } from '../operator/operator-auth.js';
import { type PassedEnvironment, passedEnvironment } from '../sandboxing/passed-environment.js';
import { ChangeSteps } from './change-steps.js';
import { served } from './install.js';
import type { RemoveRequest, RevokeRequest } from './installations.js';
import { type KillSwitchGrant, missingKillSwitchGrant } from './kill-switch-grant.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { killSwitchValues, killSwitchWork, pullKillSwitch } from './pull-kill-switch.js';
import { beginRemoval, eraseValues, finishRemoval, keepsData } from './removal.js';

/** An installed package that goes away. */
export interface LeavingPackage {
  readonly installation: Installation;
  readonly current: StoredGeneration;
  /** `policy`: the operator decided it in the configuration. */
  readonly who: VerifiedActor | { readonly by: 'policy' };
  /** Why the host does it by itself. */
  readonly reason?: string;
}

/**
 * Revokes a package. It is not served any more from the first step on, whatever happens later. If its kill switch fails,
 * only the secrets that the switch needs stay, sealed, until another try succeeds or the operator gives up.
 */
export async function revokePackage(
  leaving: LeavingPackage,
  request: RevokeRequest,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<PackageChange> {
  const { current, who } = leaving;
  const { package: id } = current;
  const { signal = neverCanceled, forget = false, manualStepsDone = false } = request;
  const steps = new ChangeSteps(id, request.onProgress);
  const why = leaving.reason === undefined ? {} : { reason: leaving.reason };
  const body = { operation: 'revoke', package: id, generation: current.number, ...why, ...who };
  await services.audit.append({ kind: 'operator', body });
  await services.rows.markRevoking(id);
  await services.revoked.add(id, who.by);
  await services.invalidate({ package: id }, 'the package was revoked');
  services.endUse(id, new HostError('disabled', `the call was ended: ${id} was revoked by ${who.by}`));
  served(current, services);

  const left = await signOut(leaving, steps, session, services, signal);
  // The package is on its way out, so nothing more follows from a violation.
  const trial = await session.open(services.index.placeOf(current), 'use', { violations: [] });
  const manualSteps: string[] = [];
  let isDone: boolean;
  let allow: KillSwitchGrant | undefined;
  try {
    const runner = trial.catalog.runner(id);
    allow = missingKillSwitchGrant(runner.package, environmentOf(leaving, session).network);
    const work = killSwitchWork(runner.package);
    if (work !== undefined) steps.progress({ step: 'kill switch', detail: work });
    const outcome = await pullKillSwitch(runner, request.credential, signal);
    switch (outcome.status) {
      case 'none':
        steps.record({ name: 'kill switch', status: 'skipped', detail: 'the package has none' });
        isDone = true;
        break;
      case 'done':
        steps.record({ name: 'kill switch', status: 'done', detail: outcome.detail });
        isDone = true;
        break;
      case 'manual':
        isDone = manualStepsDone;
        steps.record({
          ...{ name: 'kill switch', status: isDone ? 'done' : 'skipped' },
          detail: `manual steps at ${outcome.instructionsUrl}`,
        });
        if (isDone) break;
        manualSteps.push(`do the steps at ${outcome.instructionsUrl}`);
        left.push(`do the steps at ${outcome.instructionsUrl}, then revoke it again`);
        break;
      case 'failed':
        isDone = false;
        steps.record({ name: 'kill switch', status: 'failed', detail: outcome.detail });
        left.push(`its kill switch did not succeed: ${outcome.detail}`);
        break;
    }
    const kept = isDone || forget ? [] : killSwitchValues(runner.package, request.credential);
    const erased = await eraseValues(id, kept, services.vault);
    const detail =
      kept.length === 0 ? `${erased} values` : `${erased} values; kept for the next try: ${kept.join(', ')}`;
    steps.record({ name: 'erase', status: 'done', detail });
    if (runner.package.slots.some((it) => it.secret) && outcome.status === 'none')
      left.push('withdraw its credentials at the provider: the package has no kill switch that does it');
  } finally {
    services.violations.endTrial(id);
    await trial.close();
  }
  const outcome = { operation: 'revoked', package: id, complete: isDone, left };
  await services.audit.append({ kind: 'operator', body: { ...outcome, by: who.by } });
  if (isDone || forget) {
    const entry = await beginRemoval(id, request, { ...services, containers: session.containers });
    await removeFiles(entry, leaving, steps, session, services);
  } else {
    const retry = `toolwharf revoke ${id} --retry${allow === undefined ? '' : ` --allow ${allow.grant}`}`;
    left.push(`try again: ${retry}; or give up: toolwharf revoke ${id} --forget`);
  }
  return { ...changeOf('revoke', leaving), steps: steps.list, left, manualSteps };
}

/** Removes a package and its values. Its kill switch is not used. */
export async function removePackage(
  leaving: LeavingPackage,
  request: RemoveRequest,
  hasKillSwitch: boolean,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<PackageChange> {
  const { current, who } = leaving;
  const { package: id } = current;
  const steps = new ChangeSteps(id, request.onProgress);
  const body = { operation: 'remove', package: id, generation: current.number, ...who };
  await services.audit.append({ kind: 'operator', body });
  // First: a host that is killed from here on finishes the removal when it starts again.
  const entry = await beginRemoval(id, request, { ...services, containers: session.containers });
  await services.rows.markRevoking(id);
  await services.invalidate({ package: id }, 'the package was removed');
  served(current, services);
  const left = await signOut(leaving, steps, session, services, request.signal);
  const erased = await eraseValues(id, [], services.vault);
  steps.record({ name: 'erase', status: 'done', detail: `${erased} values` });
  await removeFiles(entry, leaving, steps, session, services);
  if (hasKillSwitch) left.push('its kill switch was not used: access outside this machine may remain');
  return { ...changeOf('remove', leaving), steps: steps.list, left, manualSteps: [] };
}

/** Revokes the sign-ins of the package. Returns what is left to do by hand. */
async function signOut(
  leaving: LeavingPackage,
  steps: ChangeSteps,
  session: LifecycleSession,
  services: LifecycleServices,
  signal: CancelSignal | undefined,
): Promise<string[]> {
  const { package: id } = leaving.current;
  const environment = environmentOf(leaving, session);
  const { programs, left } = await services.signOut({ package: id, environment, signal });
  if (programs.length === 0) return [];
  const status = left.length === 0 ? 'done' : 'failed';
  steps.record({ name: 'sign out', status, detail: programs.join(', ') });
  return [...left];
}

function environmentOf({ current }: LeavingPackage, { setup }: LifecycleSession): PassedEnvironment {
  const { package: id, grants: own } = current;
  const grants = parseGrants([...setup.allow, ...own.map((it) => `${id}=${it}`)]);
  return passedEnvironment({ ...setup, grants }, id);
}

async function removeFiles(
  entry: JournalEntry,
  { current }: LeavingPackage,
  steps: ChangeSteps,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<void> {
  steps.progress({ step: 'clean up', detail: `remove the files of ${current.package}` });
  const { generations, hadData } = await finishRemoval(entry, { ...services, ...session });
  served(current, services);
  await services.violations.forget(current.package);
  const data = keepsData(entry) ? '; its data folder was kept' : hadData ? ' and its data folder' : '';
  const detail = `${generations} ${generations === 1 ? 'generation' : 'generations'}${data}`;
  steps.record({ name: 'clean up', status: 'done', detail });
}

function changeOf(operation: 'revoke' | 'remove', { current }: LeavingPackage) {
  return {
    package: current.package,
    operation,
    from: { generation: current.number, version: current.version },
  } as const;
}
