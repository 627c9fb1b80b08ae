import type { DisabledPackages } from '../../store/disabled-packages.js';
import type { Agreements } from './agreements.js';
import type { PackageDigests } from './package-digest.js';
import type { ParseCache } from './parse-cache.js';
import type { FindInterpreter } from './program-need.js';

/** What is needed to load and check packages. */
export interface PackageServices {
  readonly parseCache: ParseCache;
  readonly digests: PackageDigests;
  readonly agreements: Agreements;
  readonly switches: DisabledPackages;
  readonly findInterpreter: FindInterpreter;
}
