import { discover } from '../../bundle/discover.js';
import type { ParseOptions } from '../../model/format.js';
import { HostError } from '../../model/host-error.js';
import type { Package } from '../../model/package.js';
import type { AgreementRows } from '../../store/agreements.js';
import type { PackageReaders } from './loaded-package.js';

/** A package as it was accepted. */
export interface AcceptedPackage {
  readonly package: Package;
  /** Absolute path. */
  readonly manifest: string;
  readonly digest: string;
}

/**
 * Packages as they were accepted, read from their manifests. One that is gone, broken or edited since is left out: nobody
 * agreed to what it says now. `packageId`: null for all packages.
 */
export async function acceptedPackages(
  packageId: string | null,
  agreements: Pick<AgreementRows, 'packages' | 'manifestsOf' | 'get'>,
  { formats, parseCache, digests }: PackageReaders,
  parse: ParseOptions,
): Promise<readonly AcceptedPackage[]> {
  const packages: AcceptedPackage[] = [];
  for (const id of packageId === null ? await agreements.packages() : [packageId]) {
    for (const manifest of await agreements.manifestsOf(id)) {
      const agreement = await agreements.get(manifest);
      const [found] = discover([manifest], { cwd: '/', formats }).found;
      if (agreement === undefined || found === undefined) continue;
      const { package: pkg } = await parseCache.parse(found, parse);
      const { digest } = agreement;
      if (pkg?.id === id && digestOf(() => digests.of(pkg, found.bundle)) === digest)
        packages.push({ package: pkg, manifest, digest });
    }
  }
  return packages;
}

/** Undefined if a file of the package cannot be read. */
function digestOf(compute: () => string): string | undefined {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return undefined;
  }
}
