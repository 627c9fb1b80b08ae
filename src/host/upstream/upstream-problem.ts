import type { CheckedPackage } from '../packages/checked-package.js';
import { passedEnvironment } from '../sandboxing/passed-environment.js';
import type { SessionSetup } from '../session-setup.js';
import type { AnnouncementProblem } from './known-announcements.js';
import { failedProgramReason, lastFailures } from './program-states.js';
import { deniedUrls, packageOf } from './upstream-program.js';
import type { UpstreamServices } from './upstream-services.js';

/**
 * Why the upstreams of a package cannot be used now; undefined if they can. `announced`: what is wrong with their
 * announcements. `failure`: of the last attempt in this session to get announcements.
 */
export function upstreamProblem(
  checked: CheckedPackage,
  announced: AnnouncementProblem | undefined,
  failure: string | undefined,
  { connections, failedStarts }: UpstreamServices,
  setup: SessionSetup,
): string | undefined {
  const pkg = packageOf(checked);
  const [denied] = deniedUrls(pkg, () => passedEnvironment(setup, pkg.id));
  if (denied !== undefined) return denied;
  if (setup.intent === 'use' && announced !== undefined) return failure ?? announced.reason;
  if (announced?.isEmpty === true) return announced.reason;
  // A session that only looks starts nothing, so it knows only how the last start ended.
  const [lastFailure] = setup.intent === 'use' ? [] : lastFailures(checked, failedStarts);
  return lastFailure ?? failedProgramReason(checked, connections, setup.owner);
}
