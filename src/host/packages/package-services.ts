import type { DisabledPackages } from '../../store/disabled-packages.js';
import type { Agreements } from './agreements.js';
import type { PackageReaders } from './loaded-package.js';
import type { FindInterpreter } from './program-need.js';

/** What is needed to load and check packages. */
export interface PackageServices extends PackageReaders {
  readonly agreements: Agreements;
  readonly switches: DisabledPackages;
  readonly findInterpreter: FindInterpreter;
}
