import { join, relative } from 'node:path';
import { discover } from '../../bundle/discover.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isLoopbackHost } from '../../model/host-name.js';
import { parseImageReference } from '../../model/image-reference.js';
import type { InstallLock } from '../../model/installation.js';
import type { Catalog, Package } from '../../model/package.js';
import { isLocked, type LockedSource, type Source } from '../../model/source.js';
import { toAbortSignal } from '../../net/abort-signal.js';
import { parseGrants } from '../../policy/grant.js';
import { requiredAgreements } from '../../policy/required-agreements.js';
import { acquireSource, resolveSource } from '../../sources/acquire.js';
import type { AcquiredSource, AcquireOptions, SourceProgress } from '../../sources/source.js';
import type { InstalledPlace } from '../packages/installation-index.js';
import { type LoadedPackage, loadInstalled } from '../packages/loaded-package.js';
import { usesInstallMethod } from '../packages/program-needs.js';
import { assertCodeFits, assertImageFits, assertVersionFits } from './install-lock-fit.js';
import { joinedTree } from './joined-tree.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { lockedRuntimes } from './locked-runtimes.js';

/** A package in the content store that may become a generation. Nothing refers to it yet. */
export interface InstallCandidate {
  /** The source as it was written. */
  readonly text: string;
  readonly acquired: AcquiredSource;
  /** Code that its manifest gets from elsewhere. */
  readonly code?: AcquiredSource | undefined;
  /** Digest of its files. Differs from the acquired tree if the manifest gets its code from elsewhere. */
  readonly tree: string;
  /** Path of the manifest in the tree. */
  readonly manifest: string;
  readonly lock: InstallLock;
  /** What the package asks for and the operator allowed by name. */
  readonly agreed: readonly string[];
  readonly place: InstalledPlace;
  readonly loaded: LoadedPackage;
  /** As the manifest says, with its ranges. */
  readonly declared: Package;
  /** With what its ranges were resolved to. */
  readonly catalog: Catalog;
}

export interface CandidateOptions {
  readonly text: string;
  /** A locked source must match exactly. */
  readonly source: Source | LockedSource;
  /** The lock that the package must match; absent: ranges are resolved now. */
  readonly lock?: InstallLock | undefined;
  /** Digest of its files, if they are in the store already, from exactly this source. Then nothing is fetched. */
  readonly storedTree?: string | undefined;
  /** Which package, if the source has several. */
  readonly id?: string | undefined;
  /** What the operator allows, and what was granted to the current generation. */
  readonly allow: readonly string[];
  readonly granted: readonly string[];
  readonly signal: CancelSignal;
  readonly onProgress?: ((progress: SourceProgress) => void) | undefined;
}

/** Fetches a source and everything that its manifest names, and parses it. Runs none of its code. */
export async function prepareCandidate(
  options: CandidateOptions,
  { setup, sources }: LifecycleSession,
  services: LifecycleServices,
): Promise<InstallCandidate> {
  const { text, id, allow, granted, onProgress } = options;
  const acquire: AcquireOptions = { services: sources, signal: toAbortSignal(options.signal), onProgress };
  const acquired = await acquiredFrom(options, acquire);
  const load = async (
    tree: string,
    manifest: string,
    { lock = {}, grants = [], digest }: Partial<Pick<InstalledPlace, 'lock' | 'grants' | 'digest'>> = {},
  ) => {
    const place: InstalledPlace = {
      ...{ package: id ?? '', generation: 0, tree, manifest, lock, grants, digest: '' },
      locked: acquired.locked,
      smoke: { status: 'none', at: 0 },
      trial: null,
    };
    return { place, loaded: await loadInstalled(place, setup, services.readers, digest) };
  };
  const { formats } = services.readers;
  const { found } = discover([acquired.folder], {
    ...{ cwd: acquired.folder, formats, storedTree: acquired.folder },
  });
  // Only their manifests matter here; the chosen package is hashed below, with its lock.
  const choices = await Promise.all(
    found.map(async (it) => (await load(acquired.folder, it.path, { digest: '' })).loaded),
  );
  const chosen = chooseManifest(choices, text, id);
  const declared = catalogOf(chosen, text).package;
  const { lock: resolved, code } = await resolveInstall(declared, chosen, options, acquire);
  const lock = { ...resolved, ...lockedRuntimes(declared, options.lock, sources) };
  const tree =
    code === undefined
      ? acquired.tree
      : await joinedTree(sources.store, code.folder, acquired.folder, acquire.signal);
  const folder = sources.store.path(tree);
  const manifest = relative(acquired.folder, chosen.path);
  const required = requiredAgreements(declared);
  const added = allow.filter((it) => !required.includes(it) || isOnThisMachine(it));
  const grants = [...new Set([...granted, ...added])].sort();
  assertGrants(grants, required, declared.id);
  const { place, loaded } = await load(folder, join(folder, manifest), { lock, grants });
  const catalog = catalogOf(loaded, text);
  return {
    ...{ text, acquired, code, tree, manifest, lock, loaded, declared, catalog },
    agreed: required.filter((it) => allow.includes(it)),
    place: { ...place, package: declared.id, digest: catalog.digest },
  };
}

async function acquiredFrom(
  { source, storedTree }: CandidateOptions,
  acquire: AcquireOptions,
): Promise<AcquiredSource> {
  if (storedTree === undefined || !isLocked(source)) return acquireSource(source, acquire);
  const { folder, bytes } = await acquire.services.store.verify(storedTree);
  return { locked: source, tree: storedTree, folder, bytes, notes: [] };
}

/** Servers on this machine need a grant besides the agreement. Who names one by its port gives both. */
function isOnThisMachine(allowed: string): boolean {
  const [, host] = /^net:(.+):\d+$/.exec(allowed) ?? [];
  return host !== undefined && isLoopbackHost(host);
}

/** Only hosts, folders and variables can be granted in addition; the rest must be something that the package asks for. */
function assertGrants(grants: readonly string[], required: readonly string[], id: string): void {
  for (const it of grants) {
    if (/^(?:scope:|files:)|^net:public$/.test(it))
      throw new HostError('usage', `${id} does not ask for ${it}`, {
        hint: required.length === 0 ? 'it asks for nothing' : `it asks for ${required.join(', ')}`,
      });
    parseGrants([it]);
  }
}

function chooseManifest(
  choices: readonly LoadedPackage[],
  text: string,
  wanted: string | undefined,
): LoadedPackage {
  const [only] = choices;
  if (only === undefined)
    throw new HostError('invalid_manifest', `${text} contains no package`, {
      hint: 'name a source with a manifest; for a folder of a repository, add ":FOLDER" after the revision',
    });
  if (choices.length === 1 && wanted === undefined) return only;
  const idOf = (it: LoadedPackage) => it.catalog?.package.id;
  const named = choices.find((it) => wanted !== undefined && idOf(it) === wanted);
  if (named !== undefined) return named;
  const known = choices.flatMap((it) => idOf(it) ?? []).join(', ') || 'all broken';
  throw wanted === undefined
    ? new HostError('usage', `${text} contains ${choices.length} packages; name one`, {
        hint: `add --package ID; the packages are ${known}`,
      })
    : new HostError('not_found', `${text} contains no package ${wanted}`, {
        hint: `the packages are ${known}`,
      });
}

function catalogOf({ catalog, diagnostics, installed }: LoadedPackage, text: string): Catalog {
  if (catalog !== undefined) return catalog;
  const errors = diagnostics.filter((it) => it.severity === 'error');
  const shown = errors
    .slice(0, 3)
    .map((it) => `${it.message} (${relative(installed?.tree ?? '', it.file)}:${it.range.line})`);
  const rest = errors.length > shown.length ? `; and ${errors.length - shown.length} more` : '';
  throw new HostError('invalid_manifest', `${text} is not a valid package: ${shown.join('; ')}${rest}`, {
    hint: 'ask its author to fix it; "toolwharf validate" shows each problem with its line',
  });
}

/** Resolves the ranges of a manifest once, and fetches code that the manifest gets from git or a URL. */
async function resolveInstall(
  { install, version: ownVersion }: Package,
  loaded: LoadedPackage,
  { lock, storedTree }: CandidateOptions,
  acquire: AcquireOptions,
): Promise<{ readonly lock: InstallLock; readonly code?: AcquiredSource }> {
  const isJoined = storedTree !== undefined && lock?.code !== undefined;
  // With its code beside it, a manifest looks as if it had brought it.
  if (!isJoined && !usesInstallMethod(loaded)) return { lock: {} };
  switch (install.kind) {
    case 'bundled':
    case 'object':
      return { lock: {} };
    case 'pip':
    case 'npm': {
      const exact = /^(?:==?)?\s*(\d+(?:\.\d+)*(?:[-+.\w]*)?)$/.exec(install.version ?? '')?.[1];
      if (exact !== undefined) {
        // Nothing to lock, but people see the version that is installed.
        const isShown = install.version === exact && ownVersion !== '0.0.0';
        return { lock: isShown ? {} : { version: exact } };
      }
      const range = install.version ?? (install.kind === 'npm' ? 'latest' : '');
      if (lock?.version !== undefined) {
        assertVersionFits(install.kind, range, lock.version);
        return { lock: { version: lock.version } };
      }
      const kind = install.kind === 'npm' ? 'npm' : 'pypi';
      const resolved = await resolveSource({ kind, name: install.package, range }, acquire);
      return 'version' in resolved ? { lock: { version: resolved.version } } : { lock: {} };
    }
    case 'container': {
      if (parseImageReference(install.image) !== undefined) return { lock: {} };
      const [, name = install.image, tag = 'latest'] = /^(.*?)(?::([\w][\w.-]*))?$/.exec(install.image) ?? [];
      if (lock?.image !== undefined) {
        assertImageFits(name, lock.image);
        return { lock: { image: lock.image } };
      }
      const resolved = await resolveSource({ kind: 'oci', image: name, reference: tag }, acquire);
      return 'digest' in resolved ? { lock: { image: `${name}@${resolved.digest}` } } : { lock: {} };
    }
    case 'git':
    case 'url': {
      const declared: Source =
        install.kind === 'url'
          ? { kind: 'https', url: install.url, sha256: install.sha256 }
          : {
              ...{ kind: 'git', url: install.url, revision: install.ref },
              ...(install.subpath === undefined ? {} : { subfolder: install.subpath }),
            };
      assertCodeFits(declared, lock?.code);
      if (isJoined) return { lock: { code: lock.code } };
      const code = await acquireSource(lock?.code ?? declared, acquire);
      return { lock: { code: code.locked }, code };
    }
  }
}
