import type { SessionIntent } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { type PackageStatusServices, startablePackages } from './package-status.js';

/** Starts programs of packages with unknown tools. `wait`: until they announced them. */
export async function fetchUnknownTools(
  unknown: readonly CheckedPackage[],
  wait: boolean,
  context: PackageStatusServices,
): Promise<void> {
  const startable = await startablePackages(unknown, context);
  const fetching = startable.map((it) => context.upstreams.fetchAnnouncements(it));
  if (wait) await Promise.all(fetching);
}

/** The packages whose programs a session starts by itself. A trial is started only once, by its operation. */
export function startable(
  packages: readonly CheckedPackage[],
  intent: SessionIntent,
): readonly CheckedPackage[] {
  return intent === 'use' ? packages.filter((it) => it.loaded.installed?.isTrial !== true) : [];
}
