import { upstreamPrograms } from '../../model/package.js';
import type { ProcessOwner } from '../../run/process-owner.js';
import type { ProgramState } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { FailedStarts } from './failed-starts.js';
import type { UpstreamConnections } from './upstream-connections.js';
import { hasUpstreams, packageOf, programRefOf } from './upstream-program.js';

type States = Pick<UpstreamConnections, 'states'>;

/** The states of the programs of a package for one owner. */
export function programStatesOf(
  checked: CheckedPackage,
  connections: States,
  owner: ProcessOwner,
): readonly ProgramState[] {
  const { digest } = programRefOf(checked, '');
  return connections.states(digest, owner).map(({ program, state, reason, exits }) => ({
    name: program,
    state,
    ...(reason === '' ? {} : { reason }),
    exits,
  }));
}

/** Why a program of the package is not restarted; undefined if none failed for good. */
export function failedProgramReason(
  checked: CheckedPackage,
  connections: States,
  owner: ProcessOwner,
): string | undefined {
  const { digest } = programRefOf(checked, '');
  const failed = connections.states(digest, owner).find((it) => it.state === 'failed');
  return failed === undefined
    ? undefined
    : `its program ${failed.program} failed and is not restarted: ${failed.reason}`;
}

/** Why programs of the package could not be started when they were last used. Empty if they could, or never were. */
export function lastFailures(checked: CheckedPackage, failedStarts: FailedStarts): readonly string[] {
  if (!hasUpstreams(checked)) return [];
  return upstreamPrograms(packageOf(checked)).flatMap(({ name }) => {
    const reason = failedStarts.reasonOf(programRefOf(checked, name));
    return reason === undefined ? [] : [`it failed when it was last used: ${reason}`];
  });
}
