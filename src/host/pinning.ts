import { realpathSync } from 'node:fs';
import type { Package } from '../model/package.js';
import { readWords, wordsOf } from '../policy/package-words.js';
import {
  nothingRequested,
  type PackageRequest,
  readRequest,
  requestOf,
  requestText,
} from '../policy/request.js';
import { everythingOf, widening } from '../policy/widening.js';
import { rewording } from '../policy/wording.js';
import type { AuditLog } from '../store/audit.js';
import type { Links, Pin, Pins } from '../store/pins.js';
import type { Loaded } from './catalogue.js';
import type { Review, Verified } from './host.js';
import type { Queue } from './queue.js';
import { npmDependencies } from './runtimes.js';

/** What an operator's agreement is kept in. */
export interface Agreements {
  readonly links: Links;
  readonly pins: Pins;
  readonly audit: AuditLog;
  /** Runs one after the other: of two who name a folder at once, the second finds it known. */
  readonly inTurn: Queue;
  /** Told of a definition that is no longer the one that was agreed to. */
  outdated(digest: string): Promise<void>;
  /** Whether values or files are kept under the id of a package that this one would get. */
  keepsFor(of: Package): Promise<boolean>;
}

/** A package that waits until somebody agreed to what is new about it. */
export interface HeldPackage {
  readonly review: Review;
}

/**
 * Naming a path is the operator's act: what is found there for the first time is agreed to and pinned. Later edits are
 * followed unless they widen or change what is read; a package that turns up in a known place is held. Nobody but the operator can make an
 * agent's own file into a tool.
 */
export function agree(
  named: readonly string[],
  loaded: readonly Loaded[],
  by: string,
  agreements: Agreements,
): Promise<ReadonlyMap<Loaded, HeldPackage>> {
  return agreements.inTurn(() => agreeNow(named, loaded, by, agreements));
}

async function agreeNow(
  named: readonly string[],
  loaded: readonly Loaded[],
  by: string,
  { links, pins, audit, keepsFor, outdated }: Agreements,
): Promise<ReadonlyMap<Loaded, HeldPackage>> {
  const fresh: string[] = [];
  for (const path of named.map(realPath)) if (!(await links.isKnown(path))) fresh.push(path);
  const held = new Map<Loaded, HeldPackage>();
  let pinned = 0;
  for (const it of loaded) {
    if (it.catalogue === undefined) continue;
    const manifest = realPath(it.path);
    const pin = await pins.get(manifest);
    if (pin?.digest === it.catalogue.digest) continue;
    if (pin !== undefined) await outdated(pin.digest);
    const heir = pin === undefined && (await keepsFor(it.catalogue.package));
    const [forerunner] = heir ? await pins.manifestsOf(it.catalogue.package.id) : [];
    const review = reviewOf(it, pin, forerunner);
    const isNew =
      pin === undefined &&
      forerunner === undefined &&
      fresh.some((path) => manifest === path || manifest.startsWith(`${path}/`));
    if (isNew || (pin !== undefined && !waits(review))) {
      await pins.put(pinOf(it, manifest, by));
      pinned++;
    } else {
      held.set(it, { review });
    }
  }
  // Last, so that whoever dies in between finds nothing half agreed to.
  for (const path of fresh) {
    await audit.append({ kind: 'operator', body: { act: 'link', path, by, pinned } });
    await links.add(path);
  }
  return held;
}

/** Whether somebody must agree first. */
export function waits({ widened, reworded }: Review): boolean {
  return widened.length > 0 || reworded.length > 0;
}

/** Pins what was shown, if it is still what is there. */
export async function acceptReview(
  loaded: Loaded,
  review: Review,
  who: Verified,
  { pins, audit }: Agreements,
): Promise<void> {
  const body = { act: 'accept', package: review.package, from: review.from ?? null, to: review.to, ...who };
  await audit.append({ kind: 'operator', body });
  await pins.put(pinOf(loaded, realPath(loaded.path), who.by));
}

/**
 * The difference between what was agreed to and what is there. `forerunner`: another package that has its id, and something
 * to inherit.
 */
export function reviewOf(loaded: Loaded, pin: Pin | undefined, forerunner?: string): Review {
  const { catalogue } = loaded;
  if (catalogue === undefined) throw new Error('a broken package has nothing to review');
  const after = wishesOf(loaded, catalogue.package);
  const before: PackageRequest | undefined = pin === undefined ? undefined : readRequest(pin.request);
  const { widened, narrowed } = widening(before ?? nothingRequested, after);
  return {
    package: catalogue.package.id,
    path: loaded.file,
    ...(pin === undefined ? {} : { from: pin.digest }),
    to: catalogue.digest,
    // A package that asks for nothing is still new.
    widened: pin === undefined ? [whyNew(forerunner), ...everythingOf(after)] : widened,
    reworded: pin === undefined ? [] : rereading(loaded, catalogue.package, pin),
    narrowed,
  };
}

/** What is read differently since the pin was made. */
function rereading(loaded: Loaded, of: Package, pin: Pin): readonly string[] {
  const before = pin.words === null ? undefined : readWords(pin.words);
  if (before === undefined) return ['what it said when you agreed to it was not kept'];
  return rewording(before, wordsIn(loaded, of)).changed;
}

function wordsIn({ bundle }: Loaded, of: Package) {
  return wordsOf(of, (path) => {
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

function pinOf(loaded: Loaded, manifest: string, by: string): Omit<Pin, 'acceptedAt'> {
  const { catalogue } = loaded;
  if (catalogue === undefined) throw new Error('a broken package cannot be pinned');
  const { package: of, digest } = catalogue;
  const request = requestText(wishesOf(loaded, of));
  const words = JSON.stringify(wordsIn(loaded, of));
  return { manifest, package: of.id, digest, request, words, acceptedBy: by };
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
