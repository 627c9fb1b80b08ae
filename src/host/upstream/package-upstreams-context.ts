import type { IsPublicSetting } from '../call/secret-scanner.js';
import type { ProfileInputs } from '../sandboxing/profile-inputs.js';

/** What depends on all packages of the session. */
export interface PackageUpstreamsContext {
  readonly profileInputs: (packageId: string) => ProfileInputs;
  readonly isPublic: IsPublicSetting;
}
