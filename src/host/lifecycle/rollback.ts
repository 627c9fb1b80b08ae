import type { PackageChange } from '../../model/change.js';
import { HostError } from '../../model/host-error.js';
import type { Installation } from '../../model/installation.js';
import type { StoredGeneration } from '../../store/installations.js';
import { namingLockFiles } from '../lock/naming-lock-files.js';
import type { VerifiedActor } from '../operator/operator-auth.js';
import { served } from './install.js';
import type { RollbackRequest } from './installations.js';
import { assertServed, existingGeneration, existingInstallation } from './installed-rows.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { settleChanges } from './recovery.js';

/**
 * Serves an earlier generation again. Its agreement and grants are in force again. The current generation may be named
 * if a lock file says something else, as after the host went back by itself: then only lock files change.
 */
export async function rollBack(
  {
    package: id,
    generation: wanted,
    onProgress,
  }: Pick<RollbackRequest, 'package' | 'generation' | 'onProgress'>,
  verify: () => Promise<VerifiedActor>,
  session: LifecycleSession,
  services: LifecycleServices,
): Promise<PackageChange> {
  const { rows } = services;
  await settleChanges(id, { ...services, ...session });
  const installation = await existingInstallation(rows, id);
  assertServed(installation);
  const current = await existingGeneration(rows, id);
  const isKept = wanted === current.number && (await isOtherInLockFile(current, installation, session));
  const target = isKept ? current : rollbackTarget(id, current, await rows.generations(id), wanted);
  const who = await verify();
  onProgress?.({ step: 'check', detail: `the files of generation ${target.number}` });
  await services.store.verify(target.tree);
  const generations = { from: current.number, to: target.number };
  const body = { operation: 'rollback', package: id, ...generations, ...who };
  if (isKept) await services.audit.append({ kind: 'operator', body });
  else {
    const journal = services.newId('chg');
    await services.journal.begin({ id: journal, package: id, operation: 'rollback' });
    await services.audit.append({ kind: 'operator', body });
    await rows.pointTo(target, installation.roots, journal);
    served(current, services);
  }
  const detail = isKept
    ? `generation ${target.number} is served already`
    : `serve generation ${target.number}`;
  return {
    package: id,
    operation: 'rollback',
    from: { generation: current.number, version: current.version },
    to: { generation: target.number, version: target.version },
    steps: [{ name: 'switch', status: isKept ? 'unchanged' : 'done', detail }],
    left: [],
    manualSteps: [],
  };
}

async function isOtherInLockFile(
  current: StoredGeneration,
  { roots }: Installation,
  { setup }: LifecycleSession,
): Promise<boolean> {
  const named = await namingLockFiles(current, [...(roots ?? []), setup.root]);
  return named.some((it) => !it.isGeneration);
}

function rollbackTarget(
  id: string,
  current: StoredGeneration,
  all: readonly StoredGeneration[],
  wanted: number | undefined,
): StoredGeneration {
  const earlier = all.filter((it) => it.number < current.number);
  const target =
    wanted === undefined
      ? (earlier.filter((it) => it.trial?.state !== 'failed').at(-1) ?? earlier.at(-1))
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
