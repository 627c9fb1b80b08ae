import type { NetworkHost } from '../../model/permissions.js';
import { applyDenial, denialFor } from '../../policy/denial.js';
import { grantFor } from '../../policy/grant.js';
import type { SessionSetup } from '../session-setup.js';

/** The variables and hosts that the operator granted to a package. */
export interface PassedEnvironment {
  readonly environment: Readonly<Record<string, string>>;
  readonly network: readonly NetworkHost[];
  /** Hosts that the operator denies. */
  readonly denied: readonly NetworkHost[];
  /** Additional certificate authorities, as PEM. */
  readonly certificates?: string | undefined;
}

export function passedEnvironment(
  { environment, grants, policy }: SessionSetup,
  packageId: string,
): PassedEnvironment {
  const denial = denialFor(policy.deny ?? [], packageId);
  const { network, environment: names } = applyDenial(grantFor(grants, packageId), denial);
  return {
    environment: Object.fromEntries(names.map((it) => [it, environment[it] as string])),
    network,
    denied: denial.network,
    certificates: policy.caCertificates,
  };
}
