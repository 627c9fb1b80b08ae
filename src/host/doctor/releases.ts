import type { StoredReleaseWarning } from '../../store/release-warnings.js';
import type { Check } from '../host.js';
import { warningConcern } from '../packages/release-concern.js';

/** One check for each warning about an installed release. */
export function releaseChecks(warnings: readonly StoredReleaseWarning[]): readonly Check[] {
  return warnings.map((it) => ({
    id: 'releases',
    status: 'warn',
    message: warningConcern(it).text,
    fix: 'toolwharf outdated',
  }));
}
