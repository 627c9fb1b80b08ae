import { statSync } from 'node:fs';
import { isWithin } from '../../files/path-containment.js';
import { realPathOf } from '../../files/real-path.js';
import type { Catalog, Package } from '../../model/package.js';
import { serializeRequest } from '../../policy/review/request.js';
import type { Agreement, AgreementRows, LinkRows, PackagePlace } from '../../store/agreements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { BrokenWhenNamed } from '../../store/broken-when-named.js';
import type { FirstAcceptance, VerifiedActor } from '../host.js';
import type { Actor, OperatorAuth } from '../operator/operator-auth.js';
import { actorName } from '../operator/pin-auth.js';
import type { Queue } from '../queue.js';
import { fullRequestOf, needsReview, reviewOf, visibleTextOf } from './agreement-difference.js';
import { type LoadedPackage, packagePaths } from './loaded-package.js';
import type { PackageReview } from './package-change.js';

/** The stored agreements of the operator, and what is needed to check packages against them. */
export interface Agreements {
  readonly links: LinkRows;
  readonly agreements: AgreementRows;
  readonly broken: BrokenWhenNamed;
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
  /** True on the host of an author: what was there when a session opened is accepted with every later edit. */
  readonly acceptsEdits: boolean;
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
 * in a known folder needs review, because an agent could have written it. One that was broken when its path was named for
 * the first time did not appear later: it is accepted when its path is named again.
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
  const named = stores && accept !== null ? [...new Set(accept.in.map(realPath))] : [];
  const newPaths = await unknownPaths(named, stored.links);
  const underReview = new Map<LoadedPackage, PackageUnderReview>();
  const first: LoadedPackage[] = [];
  const edited: LoadedPackage[] = [];
  const outdated: string[] = [];
  const manifestById = new Map<string, string>();
  for (const it of loaded) {
    if (it.catalog === undefined) continue;
    const { digest, package: pkg } = it.catalog;
    // The plan of an installation was agreed to, for exactly this digest.
    if (it.installed?.digest === digest) continue;
    const manifest = realPath(it.path);
    const agreement = await stored.agreements.get(manifest);
    if (agreement?.digest === digest) continue;
    if (agreement !== undefined) outdated.push(agreement.digest);
    const wasBroken = agreement === undefined && (await stored.broken.has(manifest));
    const inheritsData = agreement === undefined && !stored.acceptsEdits && (await stored.hasStoredData(pkg));
    const predecessor = inheritsData
      ? ((await stored.agreements.manifestsOf(pkg.id))[0] ?? manifestById.get(pkg.id))
      : undefined;
    const secrets = agreement === undefined ? [] : await stored.secretsOf(pkg);
    const review = reviewOf(it, agreement, { predecessor, secrets, wasBroken });
    const isNew = agreement === undefined && predecessor === undefined;
    const isIn = (paths: readonly string[]) => paths.some((path) => isWithin(manifest, path));
    const isAcceptedByName = stored.acceptsEdits
      ? wasBroken || isIn(named)
      : isIn(newPaths) || (wasBroken && isIn(named));
    if (isNew && isAcceptedByName) {
      first.push(it);
      manifestById.set(pkg.id, manifest);
    } else if (agreement !== undefined && (stored.acceptsEdits || !needsReview(review))) edited.push(it);
    else underReview.set(it, { review });
  }
  if (!stores) return underReview;
  // Before anything is stored: without the PIN, nothing is.
  const who = accept === null || first.length === 0 ? null : await verifyFirst(accept.by, first, stored);
  for (const it of outdated) await stored.onOutdated(it);
  for (const it of edited) await putAgreement(it, principal, stored);
  for (const it of first) await acceptFirst(it, who ?? { by: principal, verified: false }, stored);
  for (const it of brokenAt(stored.acceptsEdits ? named : newPaths, loaded))
    if ((await stored.agreements.get(it.manifest)) === undefined) await stored.broken.add(it);
  // Last: after a crash before this point, the paths still count as new, and the work is repeated as a whole.
  const linkedBy = who ?? { by: accept === null ? principal : actorName(accept.by), verified: false };
  for (const path of newPaths) {
    const body = { operation: 'link', path, ...linkedBy, accepted: first.length };
    await stored.audit.append({ kind: 'operator', body });
    await stored.links.add(path);
  }
  return underReview;
}

async function acceptFirst(
  it: LoadedPackage,
  who: Pick<VerifiedActor, 'by' | 'verified'>,
  stored: Agreements,
): Promise<void> {
  const manifest = realPath(it.path);
  if (await stored.broken.has(manifest)) {
    const { package: pkg, digest } = it.catalog as Catalog;
    const body = { operation: 'accept', package: pkg.id, from: null, to: digest, ...who };
    await stored.audit.append({ kind: 'operator', body });
  }
  await putAgreement(it, who.by, stored);
  await stored.broken.remove(manifest);
}

/** The broken packages at these paths, and the files among the paths that are not a manifest yet. */
function brokenAt(paths: readonly string[], loaded: readonly LoadedPackage[]): readonly PackagePlace[] {
  const places = loaded.map((it) => ({
    manifest: realPath(it.path),
    paths: packagePaths(it).map(realPath),
    isBroken: it.catalog === undefined,
  }));
  const unknownFiles = paths.filter((path) => isFile(path) && !places.some((it) => it.manifest === path));
  return [
    ...places.filter((it) => it.isBroken && paths.some((path) => isWithin(it.manifest, path))),
    ...unknownFiles.map((path) => ({ manifest: path, paths: [path] })),
  ];
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
  await stored.broken.remove(manifest);
  for (const path of await unknownPaths(named, stored.links)) {
    if (!isWithin(manifest, path)) continue;
    await stored.audit.append({ kind: 'operator', body: { operation: 'link', path, ...who, accepted: 0 } });
    await stored.links.add(path);
  }
}

/** The agreement to a package as it is loaded. */
export function agreementOf(
  loaded: LoadedPackage,
  manifest: string,
  by: string,
): Omit<Agreement, 'acceptedAt'> {
  const { catalog } = loaded;
  if (catalog === undefined) throw new Error('a broken package cannot be accepted');
  const { package: pkg, digest } = catalog;
  const request = serializeRequest(fullRequestOf(loaded, pkg));
  const text = JSON.stringify(visibleTextOf(loaded, pkg));
  const paths = packagePaths(loaded).map(realPath);
  return { manifest, package: pkg.id, digest, request, text, paths, acceptedBy: by };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function realPath(path: string): string {
  return realPathOf(path) ?? path;
}
