import { namingLockFiles } from '../lock/naming-lock-files.js';
import type { FailedGeneration, GoneBack } from '../packages/start-trials.js';
import { served } from './install.js';
import type { LifecycleServices } from './lifecycle-services.js';
import { type RecoveryServices, settleChanges } from './recovery.js';

/**
 * Goes back from a generation that never started to the newest earlier one that did not fail in the same way. The failed
 * one is marked in the same transaction, so the host never goes back to it. Lock files stay as they are: projects share
 * them with machines where it may start, and only a person changes them. If the earlier one has grants that the failed
 * one does not have, a person decides: code must not get them back by refusing to start.
 */
export async function goBackByItself(
  { package: id, generation, trial }: FailedGeneration,
  services: LifecycleServices & RecoveryServices,
): Promise<GoneBack | undefined> {
  const { rows, journal, audit, newId, now } = services;
  await settleChanges(id, services);
  const installation = await rows.get(id);
  const all = await rows.generations(id);
  const current = all.find((it) => it.number === generation);
  // Somebody may have changed it in the meantime.
  if (installation?.state !== 'active' || installation.current !== generation) return undefined;
  if (current?.trial?.state !== 'open') return undefined;
  const target = all.filter((it) => it.number < generation && it.trial?.state !== 'failed').at(-1);
  if (target === undefined) return undefined;
  const more = target.grants.filter((it) => !current.grants.includes(it));
  if (more.length > 0)
    return {
      isDone: false,
      text: `generation ${generation} of ${id} never started; generation ${target.number} may use more (${more.join(', ')}), so a person decides: toolwharf rollback ${id}`,
    };
  await services.store.verify(target.tree);
  const change = newId('chg');
  await journal.begin({ id: change, package: id, operation: 'rollback' });
  const reason = `it did not start ${trial.failures} times: ${trial.reason ?? 'no reason was given'}`;
  const named = await namingLockFiles(target, installation.roots ?? []);
  const others = named.filter((it) => !it.isGeneration).map((it) => it.file);
  const body = {
    ...{ operation: 'rollback', package: id, from: generation, to: target.number, reason, by: 'host' },
    ...(others.length === 0 ? {} : { otherInLockFiles: others }),
  };
  await audit.append({ kind: 'operator', body });
  const failed = { number: generation, trial: { ...trial, state: 'failed' as const, at: now() } };
  await rows.pointTo(target, installation.roots, change, failed);
  served(current, services);
  return {
    isDone: true,
    text: `generation ${generation} (${current.version}) of ${id} never started, so the host went back to generation ${target.number} (${target.version})`,
  };
}
