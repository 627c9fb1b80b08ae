import { notReadyError } from '../call/callable-tool.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { installPrograms } from '../packages/install.js';
import type { InstallOptions, InstallResult } from '../packages/package-change.js';
import { certificateFolder } from '../sandboxing/certificate-folder.js';
import type { ProfileInputs } from '../sandboxing/profile-inputs.js';
import type { SessionServices } from './session-services.js';

/**
 * Installs what a package needs, with the network access that the session grants it. A dry run also shows it for a
 * package that nobody accepted yet.
 */
export async function installPackage(
  { blocked, needs, underReview }: CheckedPackage,
  subject: { readonly principal: string; readonly package: string },
  { grant, denial, certificates }: ProfileInputs,
  { packages, sandboxing, kills, running, notifyChanged }: SessionServices,
  options: InstallOptions,
): Promise<InstallResult> {
  const onlyShows = options.dryRun === true && underReview !== undefined;
  if (blocked !== null && !onlyShows) throw notReadyError(subject.package, blocked);
  // What was learned is about running programs, not about fetching what they need.
  const steps = await installPrograms(
    needs,
    subject,
    { ...sandboxing, kills, running, audit: packages.agreements.audit },
    {
      granted: grant.network,
      denied: denial.network.filter((it) => it.except === undefined),
      noNetwork: denial.noNetwork,
      ...(certificates === undefined
        ? {}
        : { certificates: certificateFolder(sandboxing.stage.root, certificates) }),
    },
    options,
  );
  notifyChanged();
  return { package: subject.package, steps };
}
