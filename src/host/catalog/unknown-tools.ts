import type { CheckedPackage } from '../packages/checked-package.js';
import { type PackageStatusServices, packageStatusWithoutUpstreams } from './package-status.js';

/** Starts programs that never announced their tools. `wait`: until they announced them. */
export async function fetchUnknownTools(
  packages: readonly CheckedPackage[],
  wait: boolean,
  context: PackageStatusServices,
): Promise<void> {
  const unknown = packages.filter((it) => context.upstreams.hasUnknownTools(it));
  if (unknown.length === 0) return;
  const disabled = await context.services.packages.switches.asSet();
  const fetching: Promise<void>[] = [];
  for (const it of unknown) {
    const { state } = await packageStatusWithoutUpstreams(it, disabled, context);
    if (state === 'ready') fetching.push(context.upstreams.fetchAnnouncements(it));
  }
  if (wait) await Promise.all(fetching);
}
