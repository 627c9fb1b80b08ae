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
import type { FirstAcceptance, VerifiedActor } from '../host.js';
import type { Actor, OperatorAuth } from '../operator/operator-auth.js';
import { actorName } from '../operator/pin-auth.js';
import type { Queue } from '../queue.js';
import { type LoadedPackage, packagePaths } from './loaded-package.js';
import type { PackageReview } from './package-change.js';
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
  /** Throws `pin_required` if the actor is not the operator. */
  readonly verify: OperatorAuth['verify'];
  /** Names of the secrets that are stored for a package. */
  secretsOf(pkg: Package): Promise<readonly string[]>;
  /** Whether values or files of an earlier package with the same id exist, which this one would inherit. */
  hasStoredData(pkg: Package): Promise<boolean>;
}

/** A package that is unavailable until the operator accepts its changes. */
export interface PackageUnderReview {
  readonly review: PackageReview;
}

/** What a session does about packages that differ from their agreements. */
export interface AgreementRequest {
  readonly loaded: readonly LoadedPackage[];
  /** Accepts packages that are found for the first time; null: they need review. */
  readonly accept: FirstAcceptance | null;
  /** False for a session that only looks: it compares, and stores nothing. */
  readonly stores: boolean;
  /** The name for edits that need no review. */
  readonly principal: string;
}

/**
 * Compares packages with their agreements and returns those that need review. Packages found for the first time are
 * accepted where `accept` names their place and that place is new. Later edits are accepted too, unless they request
 * more permissions, change text that people and models read, or would get a stored secret. A package that appears later
 * in a known folder needs review, because an agent could have written it.
 */
export function agreeToPackages(
  request: AgreementRequest,
  agreements: Agreements,
): Promise<ReadonlyMap<LoadedPackage, PackageUnderReview>> {
  return agreements.queue(() => agreeNow(request, agreements));
}

async function agreeNow(
  { loaded, accept, stores, principal }: AgreementRequest,
  stored: Agreements,
): Promise<ReadonlyMap<LoadedPackage, PackageUnderReview>> {
  const newPaths = stores && accept !== null ? await unknownPaths(accept.in, stored.links) : [];
  const underReview = new Map<LoadedPackage, PackageUnderReview>();
  const first: LoadedPackage[] = [];
  const edited: LoadedPackage[] = [];
  const outdated: string[] = [];
  const manifestById = new Map<string, string>();
  for (const it of loaded) {
    if (it.catalog === undefined) continue;
    const { digest, package: pkg } = it.catalog;
    const manifest = realPath(it.path);
    const agreement = await stored.agreements.get(manifest);
    if (agreement?.digest === digest) continue;
    if (agreement !== undefined) outdated.push(agreement.digest);
    const inheritsData = agreement === undefined && (await stored.hasStoredData(pkg));
    const predecessor = inheritsData
      ? ((await stored.agreements.manifestsOf(pkg.id))[0] ?? manifestById.get(pkg.id))
      : undefined;
    const secrets = agreement === undefined ? [] : await stored.secretsOf(pkg);
    const review = reviewOf(it, agreement, predecessor, secrets);
    const isNew = agreement === undefined && predecessor === undefined;
    if (isNew && newPaths.some((path) => isWithin(manifest, path))) {
      first.push(it);
      manifestById.set(pkg.id, manifest);
    } else if (agreement !== undefined && !needsReview(review)) edited.push(it);
    else underReview.set(it, { review });
  }
  if (!stores) return underReview;
  // Before anything is stored: without the PIN, nothing is.
  const who = accept === null || first.length === 0 ? null : await verifyFirst(accept.by, first, stored);
  for (const it of outdated) await stored.onOutdated(it);
  for (const it of edited) await putAgreement(it, principal, stored);
  for (const it of first) await putAgreement(it, who?.by ?? principal, stored);
  // Last: after a crash before this point, the paths still count as new, and the work is repeated as a whole.
  const linkedBy = who ?? { by: accept === null ? principal : actorName(accept.by), verified: false };
  for (const path of newPaths) {
    const body = { operation: 'link', path, ...linkedBy, accepted: first.length };
    await stored.audit.append({ kind: 'operator', body });
    await stored.links.add(path);
  }
  return underReview;
}

/** Whether the operator accepted this version of a package by now, in any session. */
export async function isAccepted({ path, catalog }: LoadedPackage, rows: AgreementRows): Promise<boolean> {
  return catalog !== undefined && (await rows.get(realPath(path)))?.digest === catalog.digest;
}

async function unknownPaths(paths: readonly string[], links: LinkRows): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const path of new Set(paths.map(realPath))) if (!(await links.isKnown(path))) unknown.push(path);
  return unknown;
}

const maxNamed = 5;

function verifyFirst(
  by: Actor,
  first: readonly LoadedPackage[],
  { verify }: Agreements,
): Promise<VerifiedActor> {
  const ids = first.map((it) => it.catalog?.package.id ?? '');
  const rest = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : '';
  return verify(by, `accept ${ids.slice(0, maxNamed).join(', ')}${rest}, found here for the first time`);
}

function putAgreement(it: LoadedPackage, by: string, { agreements }: Agreements): Promise<void> {
  return agreements.put(agreementOf(it, realPath(it.path), by));
}

/** Whether the operator must accept the change before the package is used. */
export function needsReview({ widened, reworded }: PackageReview): boolean {
  return widened.length > 0 || reworded.length > 0;
}

/**
 * Stores the operator's agreement to the package as it was reviewed. `named`: the paths of the session. Those that
 * contain the package are known from now on, so that what appears there later needs review.
 */
export async function acceptReview(
  loaded: LoadedPackage,
  review: PackageReview,
  who: VerifiedActor,
  named: readonly string[],
  stored: Agreements,
): Promise<void> {
  const body = {
    operation: 'accept',
    package: review.package,
    from: review.from ?? null,
    to: review.to,
    ...who,
  };
  await stored.audit.append({ kind: 'operator', body });
  await putAgreement(loaded, who.by, stored);
  const manifest = realPath(loaded.path);
  for (const path of await unknownPaths(named, stored.links)) {
    if (!isWithin(manifest, path)) continue;
    await stored.audit.append({ kind: 'operator', body: { operation: 'link', path, ...who, accepted: 0 } });
    await stored.links.add(path);
  }
}

/**
 * The difference between the agreement and the package on disk. `predecessor`: the manifest path of another package
 * with the same id, whose values or files this one would inherit. `secrets`: what the changed code would get.
 */
export function reviewOf(
  loaded: LoadedPackage,
  agreement: Agreement | undefined,
  predecessor?: string,
  secrets: readonly string[] = [],
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
        ? [whyNew(predecessor), ...requestedPermissions(after)]
        : [...widened, ...changedCode(secrets)],
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

/** Without a secret, edits of the code are followed; with one, somebody else's edit would get the secret. */
function changedCode(secrets: readonly string[]): string[] {
  if (secrets.length === 0) return [];
  return [`its files changed, and the changed code would get its stored secrets: ${secrets.join(', ')}`];
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
  const paths = packagePaths(loaded).map(realPath);
  return { manifest, package: pkg.id, digest, request, text, paths, acceptedBy: by };
}

function realPath(path: string): string {
  return realPathOf(path) ?? path;
}
