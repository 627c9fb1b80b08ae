import { isWithin } from '../../files/path-containment.js';
import { realPathOf } from '../../files/real-path.js';
import type { Package } from '../../model/package.js';
import { packageTextOf, parsePackageText } from '../../policy/review/package-text.js';
import {
  nothingRequested,
  type PackageRequest,
  parseRequest,
  requestOf,
  serializeRequest,
} from '../../policy/review/request.js';
import { textChanges } from '../../policy/review/visible-text.js';
import { requestedPermissions, widening } from '../../policy/review/widening.js';
import type { Agreement, AgreementRows, LinkRows } from '../../store/agreements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { PackageReview, VerifiedActor } from '../host.js';
import type { Queue } from '../queue.js';
import type { LoadedPackage } from './loaded-package.js';
import { npmDependencies } from './program-needs.js';

/** The stored agreements of the operator, and what is needed to check packages against them. */
export interface Agreements {
  readonly links: LinkRows;
  readonly agreements: AgreementRows;
  readonly audit: AuditLog;
  /** Serializes the work: when two sessions name a folder at once, the second finds it known. */
  readonly queue: Queue;
  /** Called when a definition no longer matches its agreement. */
  onOutdated(digest: string): Promise<void>;
  /** Whether values or files of an earlier package with the same id exist, which this one would inherit. */
  hasStoredData(pkg: Package): Promise<boolean>;
}

/** A package that is unavailable until the operator accepts its changes. */
export interface PackageUnderReview {
  readonly review: PackageReview;
}

/**
 * Compares packages with their agreements and returns those that need review. Naming a path is the operator's
 * decision, so packages found there the first time are accepted. Later edits are accepted too, unless they request
 * more permissions or change text that people and models read. A package that appears later in a known folder needs
 * review, because an agent could have written it.
 */
export function agreeToPackages(
  acceptNewIn: readonly string[],
  loaded: readonly LoadedPackage[],
  by: string,
  agreements: Agreements,
): Promise<ReadonlyMap<LoadedPackage, PackageUnderReview>> {
  return agreements.queue(() => agreeNow(acceptNewIn, loaded, by, agreements));
}

async function agreeNow(
  acceptNewIn: readonly string[],
  loaded: readonly LoadedPackage[],
  by: string,
  { links, agreements, audit, hasStoredData, onOutdated }: Agreements,
): Promise<ReadonlyMap<LoadedPackage, PackageUnderReview>> {
  const newPaths: string[] = [];
  for (const path of acceptNewIn.map(realPath)) if (!(await links.isKnown(path))) newPaths.push(path);
  const underReview = new Map<LoadedPackage, PackageUnderReview>();
  let accepted = 0;
  for (const it of loaded) {
    if (it.catalog === undefined) continue;
    const manifest = realPath(it.path);
    const agreement = await agreements.get(manifest);
    if (agreement?.digest === it.catalog.digest) continue;
    if (agreement !== undefined) await onOutdated(agreement.digest);
    const inheritsData = agreement === undefined && (await hasStoredData(it.catalog.package));
    const [predecessor] = inheritsData ? await agreements.manifestsOf(it.catalog.package.id) : [];
    const review = reviewOf(it, agreement, predecessor);
    const isNew =
      agreement === undefined &&
      predecessor === undefined &&
      newPaths.some((path) => isWithin(manifest, path));
    if (isNew || (agreement !== undefined && !needsReview(review))) {
      await agreements.put(agreementOf(it, manifest, by));
      accepted++;
    } else {
      underReview.set(it, { review });
    }
  }
  // Last: after a crash before this point, the paths still count as new, and the work is repeated as a whole.
  for (const path of newPaths) {
    await audit.append({ kind: 'operator', body: { operation: 'link', path, by, accepted } });
    await links.add(path);
  }
  return underReview;
}

/** Whether the operator accepted this version of a package by now, in any session. */
export async function isAccepted({ path, catalog }: LoadedPackage, rows: AgreementRows): Promise<boolean> {
  return catalog !== undefined && (await rows.get(realPath(path)))?.digest === catalog.digest;
}

/** Whether the operator must accept the change before the package is used. */
export function needsReview({ widened, reworded }: PackageReview): boolean {
  return widened.length > 0 || reworded.length > 0;
}

/** Stores the operator's agreement to the package as it was reviewed. */
export async function acceptReview(
  loaded: LoadedPackage,
  review: PackageReview,
  who: VerifiedActor,
  { agreements, audit }: Agreements,
): Promise<void> {
  const body = {
    operation: 'accept',
    package: review.package,
    from: review.from ?? null,
    to: review.to,
    ...who,
  };
  await audit.append({ kind: 'operator', body });
  await agreements.put(agreementOf(loaded, realPath(loaded.path), who.by));
}

/**
 * The difference between the agreement and the package on disk. `predecessor`: the manifest path of another package
 * with the same id, whose values or files this one would inherit.
 */
export function reviewOf(
  loaded: LoadedPackage,
  agreement: Agreement | undefined,
  predecessor?: string,
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
    widened: agreement === undefined ? [whyNew(predecessor), ...requestedPermissions(after)] : widened,
    reworded: agreement === undefined ? [] : changedText(loaded, catalog.package, agreement),
    narrowed,
  };
}

/** Texts for people or models that differ from the agreement. */
function changedText(loaded: LoadedPackage, pkg: Package, agreement: Agreement): readonly string[] {
  const before = parsePackageText(agreement.text);
  if (before === undefined) return ['the stored text of your agreement is damaged'];
  return textChanges(before, visibleTextOf(loaded, pkg)).changed;
}

function visibleTextOf({ bundle }: LoadedPackage, pkg: Package) {
  return packageTextOf(pkg, (path) => {
    const entry = bundle.read(path);
    return entry.kind === 'file' ? Buffer.from(entry.bytes).toString('utf8') : undefined;
  });
}

/** What the manifest requests, with the npm dependencies of the code. */
function fullRequestOf(loaded: LoadedPackage, pkg: Package): PackageRequest {
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

function whyNew(predecessor: string | undefined): string {
  return predecessor === undefined
    ? 'nobody has accepted it yet: it appeared in its folder later, or its path was never named'
    : `it would inherit the values and files of the package with the same id at ${predecessor}`;
}

function agreementOf(loaded: LoadedPackage, manifest: string, by: string): Omit<Agreement, 'acceptedAt'> {
  const { catalog } = loaded;
  if (catalog === undefined) throw new Error('a broken package cannot be accepted');
  const { package: pkg, digest } = catalog;
  const request = serializeRequest(fullRequestOf(loaded, pkg));
  const text = JSON.stringify(visibleTextOf(loaded, pkg));
  return { manifest, package: pkg.id, digest, request, text, acceptedBy: by };
}

function realPath(path: string): string {
  return realPathOf(path) ?? path;
}
