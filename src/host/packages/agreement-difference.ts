// What differs between the agreement to a package and the package on disk.
import type { Package } from '../../model/package.js';
import { packageTextOf, parsePackageText } from '../../policy/review/package-text.js';
import {
  nothingRequested,
  type PackageRequest,
  parseRequest,
  requestOf,
} from '../../policy/review/request.js';
import { textChanges } from '../../policy/review/visible-text.js';
import { requestedPermissions, widening } from '../../policy/review/widening.js';
import type { Agreement } from '../../store/agreements.js';
import type { LoadedPackage } from './loaded-package.js';
import type { PackageReview } from './package-change.js';
import { npmDependencies } from './program-needs.js';

/** Whether the operator must accept the change before the package is used. */
export function needsReview({ widened, reworded }: PackageReview): boolean {
  return widened.length > 0 || reworded.length > 0;
}

/** What else a review says. */
interface ReviewCircumstances {
  /** The manifest path of another package with the same id, whose values or files this one would inherit. */
  readonly predecessor?: string | undefined;
  /** What the changed code would get. */
  readonly secrets?: readonly string[];
  /** Whether it was broken when its path was named. */
  readonly wasBroken?: boolean;
}

/** The difference between the agreement and the package on disk. */
export function reviewOf(
  loaded: LoadedPackage,
  agreement: Agreement | undefined,
  { predecessor, secrets = [], wasBroken = false }: ReviewCircumstances = {},
): PackageReview {
  const { catalog } = loaded;
  if (catalog === undefined) throw new Error('a broken package has nothing to review');
  const after = fullRequestOf(loaded, catalog.package);
  const before: PackageRequest | undefined =
    agreement === undefined ? undefined : parseRequest(agreement.request);
  const { widened, narrowed } = widening(before ?? nothingRequested, after);
  return {
    package: catalog.package.id,
    path: loaded.file,
    ...(agreement === undefined ? {} : { from: agreement.digest }),
    to: catalog.digest,
    // Never empty for a new package, even if it requests nothing.
    widened:
      agreement === undefined
        ? [whyNew(predecessor, wasBroken), ...requestedPermissions(after)]
        : [...widened, ...changedCode(secrets)],
    ...(agreement === undefined
      ? { reworded: [], texts: [] }
      : changedText(loaded, catalog.package, agreement)),
    narrowed,
  };
}

/** Texts for people or models that differ from the agreement. */
function changedText(
  loaded: LoadedPackage,
  pkg: Package,
  agreement: Agreement,
): Pick<PackageReview, 'reworded' | 'texts'> {
  const before = parsePackageText(agreement.text);
  if (before === undefined) return { reworded: ['the stored text of your agreement is damaged'], texts: [] };
  const { changed, differences } = textChanges(before, visibleTextOf(loaded, pkg));
  return { reworded: changed, texts: differences };
}

/** The texts of a package for people and models. */
export function visibleTextOf({ bundle }: LoadedPackage, pkg: Package) {
  return packageTextOf(pkg, (path) => {
    const entry = bundle.read(path);
    return entry.kind === 'file' ? Buffer.from(entry.bytes).toString('utf8') : undefined;
  });
}

/** What the manifest requests, with the npm dependencies of the code. */
export function fullRequestOf(loaded: LoadedPackage, pkg: Package): PackageRequest {
  const request = requestOf(pkg);
  const dependencies = npmDependencies(loaded);
  if (dependencies.length === 0) return request;
  return {
    ...request,
    programs: request.programs.map((it) =>
      it.runtime.startsWith('node') ? { ...it, packages: [...it.packages, ...dependencies].sort() } : it,
    ),
  };
}

/** Without a secret, edits of the code are followed; with one, somebody else's edit would get the secret. */
function changedCode(secrets: readonly string[]): string[] {
  if (secrets.length === 0) return [];
  return [`its files changed, and the changed code would get its stored secrets: ${secrets.join(', ')}`];
}

function whyNew(predecessor: string | undefined, wasBroken: boolean): string {
  if (predecessor !== undefined)
    return `it would inherit the values and files of the package with the same id at ${predecessor}`;
  return wasBroken
    ? 'nobody has accepted it yet: it was broken when its path was named; name the path again to accept it'
    : 'nobody has accepted it yet: it appeared in its folder later, or its path was never named';
}
