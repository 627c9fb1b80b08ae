import { realpathSync } from 'node:fs';
import type { Package } from '../model/package.js';
import { packageTextOf, readPackageText } from '../policy/package-text.js';
import {
  nothingRequested,
  type PackageRequest,
  readRequest,
  requestOf,
  requestText,
} from '../policy/request.js';
import { everythingOf, widening } from '../policy/widening.js';
import { rewording } from '../policy/wording.js';
import type { Agreement, AgreementRows, LinkRows } from '../store/agreements.js';
import type { AuditLog } from '../store/audit.js';
import type { Loaded } from './catalog.js';
import type { Review, VerifiedActor } from './host.js';
import type { Queue } from './queue.js';
import { npmDependencies } from './runtimes.js';

/** What an operator's agreement is kept in. */
export interface Agreements {
  readonly links: LinkRows;
  readonly agreements: AgreementRows;
  readonly audit: AuditLog;
  /** Runs one after the other: of two who name a folder at once, the second finds it known. */
  readonly inTurn: Queue;
  /** Told of a definition that is no longer the one that was agreed to. */
  outdated(digest: string): Promise<void>;
  /** Whether values or files are kept under the id of a package that this one would get. */
  keepsFor(of: Package): Promise<boolean>;
}

/** A package that waits until somebody agreed to what is new about it. */
export interface PackageUnderReview {
  readonly review: Review;
}

/**
 * Naming a path is the operator's decision: what is found there for the first time is agreed to. Later edits are followed
 * unless they ask for more or change what people and models read. A package that appears later in a known folder needs
 * review, because an agent could have written it.
 */
export function agree(
  named: readonly string[],
  loaded: readonly Loaded[],
  by: string,
  agreements: Agreements,
): Promise<ReadonlyMap<Loaded, PackageUnderReview>> {
  return agreements.inTurn(() => agreeNow(named, loaded, by, agreements));
}

async function agreeNow(
  named: readonly string[],
  loaded: readonly Loaded[],
  by: string,
  { links, agreements, audit, keepsFor, outdated }: Agreements,
): Promise<ReadonlyMap<Loaded, PackageUnderReview>> {
  const fresh: string[] = [];
  for (const path of named.map(realPath)) if (!(await links.isKnown(path))) fresh.push(path);
  const needsReview = new Map<Loaded, PackageUnderReview>();
  let accepted = 0;
  for (const it of loaded) {
    if (it.catalog === undefined) continue;
    const manifest = realPath(it.path);
    const agreement = await agreements.get(manifest);
    if (agreement?.digest === it.catalog.digest) continue;
    if (agreement !== undefined) await outdated(agreement.digest);
    const heir = agreement === undefined && (await keepsFor(it.catalog.package));
    const [forerunner] = heir ? await agreements.manifestsOf(it.catalog.package.id) : [];
    const review = reviewOf(it, agreement, forerunner);
    const isNew =
      agreement === undefined &&
      forerunner === undefined &&
      fresh.some((path) => manifest === path || manifest.startsWith(`${path}/`));
    if (isNew || (agreement !== undefined && !waits(review))) {
      await agreements.put(agreementOf(it, manifest, by));
      accepted++;
    } else {
      needsReview.set(it, { review });
    }
  }
  // Last, so that whoever dies in between finds nothing half agreed to.
  for (const path of fresh) {
    await audit.append({ kind: 'operator', body: { act: 'link', path, by, accepted } });
    await links.add(path);
  }
  return needsReview;
}

/** Whether somebody must agree first. */
export function waits({ widened, reworded }: Review): boolean {
  return widened.length > 0 || reworded.length > 0;
}

/** Pins what was shown, if it is still what is there. */
export async function acceptReview(
  loaded: Loaded,
  review: Review,
  who: VerifiedActor,
  { agreements, audit }: Agreements,
): Promise<void> {
  const body = { act: 'accept', package: review.package, from: review.from ?? null, to: review.to, ...who };
  await audit.append({ kind: 'operator', body });
  await agreements.put(agreementOf(loaded, realPath(loaded.path), who.by));
}

/**
 * The difference between what was agreed to and what is there. `forerunner`: another package that has its id, and something
 * to inherit.
 */
export function reviewOf(loaded: Loaded, agreement: Agreement | undefined, forerunner?: string): Review {
  const { catalog } = loaded;
  if (catalog === undefined) throw new Error('a broken package has nothing to review');
  const after = wishesOf(loaded, catalog.package);
  const before: PackageRequest | undefined =
    agreement === undefined ? undefined : readRequest(agreement.request);
  const { widened, narrowed } = widening(before ?? nothingRequested, after);
  return {
    package: catalog.package.id,
    path: loaded.file,
    ...(agreement === undefined ? {} : { from: agreement.digest }),
    to: catalog.digest,
    // A package that asks for nothing is still new.
    widened: agreement === undefined ? [whyNew(forerunner), ...everythingOf(after)] : widened,
    reworded: agreement === undefined ? [] : rereading(loaded, catalog.package, agreement),
    narrowed,
  };
}

/** What is read differently since the agreement was made. */
function rereading(loaded: Loaded, of: Package, agreement: Agreement): readonly string[] {
  const before = readPackageText(agreement.text);
  if (before === undefined) return ['the text that you agreed to cannot be read'];
  return rewording(before, textIn(loaded, of)).changed;
}

function textIn({ bundle }: Loaded, of: Package) {
  return packageTextOf(of, (path) => {
    const entry = bundle.read(path);
    return entry.kind === 'file' ? Buffer.from(entry.bytes).toString('utf8') : undefined;
  });
}

/** What its manifest asks for, and what its code wants from a registry. */
function wishesOf(loaded: Loaded, of: Package): PackageRequest {
  const request = requestOf(of);
  const wanted = npmDependencies(loaded);
  if (wanted.length === 0) return request;
  return {
    ...request,
    programs: request.programs.map((it) =>
      it.runtime.startsWith('node') ? { ...it, packages: [...it.packages, ...wanted].sort() } : it,
    ),
  };
}

function whyNew(forerunner: string | undefined): string {
  return forerunner === undefined
    ? 'nobody agreed to it yet: it turned up after its folder was named, or was never named'
    : `it would get the values and files that are kept for the package of the same id at ${forerunner}`;
}

function agreementOf(loaded: Loaded, manifest: string, by: string): Omit<Agreement, 'acceptedAt'> {
  const { catalog } = loaded;
  if (catalog === undefined) throw new Error('a broken package cannot be pinned');
  const { package: of, digest } = catalog;
  const request = requestText(wishesOf(loaded, of));
  const text = JSON.stringify(textIn(loaded, of));
  return { manifest, package: of.id, digest, request, text, acceptedBy: by };
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
