import { dirname } from 'node:path';
import { type DiscoveredManifest, discover } from '../../bundle/discover.js';
import { folderBundle, maxFiles } from '../../bundle/folder.js';
import { isWithin } from '../../files/path-containment.js';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import { makeDiagnostic } from '../../formats/report.js';
import type { Bundle } from '../../model/bundle.js';
import { type Diagnostic, startOfFile } from '../../model/diagnostic.js';
import type { ParseOptions } from '../../model/format.js';
import { HostError } from '../../model/host-error.js';
import { withInstallLock } from '../../model/installation.js';
import type { Catalog, Package } from '../../model/package.js';
import type { FirstAcceptance } from '../host.js';
import type { SessionSetup } from '../session-setup.js';
import type { InstallationIndex, InstalledPlace } from './installation-index.js';
import { copyOf, isMeant, type Naming } from './named-copies.js';
import type { PackageDigests } from './package-digest.js';
import type { ParseCache } from './parse-cache.js';

/** A package on disk after parsing. */
export interface LoadedPackage {
  /** Absolute path of the manifest. */
  readonly path: string;
  /** The same path as messages show it. */
  readonly file: string;
  readonly format: string;
  readonly bundle: Bundle;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent if the package is broken. */
  readonly catalog?: Catalog;
  /** What it needs and this host does not have, one sentence each; see `ParseResult`. */
  readonly unmet?: readonly string[];
  /** Set if an edit broke the files: this is the last valid version, and the text says why. */
  readonly stale?: string;
  /** Set if it is installed: its files are in the content store. */
  readonly installed?: InstalledPlace;
}

export interface LoadResult {
  readonly loaded: readonly LoadedPackage[];
  /** Problems with paths that belong to no package. */
  readonly problems: readonly Diagnostic[];
  /** How many files were looked at. */
  readonly scanned: number;
  /** How many manifests lie inside a package of the same format, and belong to it. */
  readonly nested: number;
}

/** What finds and parses packages. */
export interface PackageReaders {
  readonly formats: readonly FormatDescriptor[];
  readonly parseCache: ParseCache;
  readonly digests: PackageDigests;
  readonly installations: InstallationIndex;
}

/** Loads all packages at the session's paths, then the installed ones. A broken package does not affect the others. */
export async function loadPackages(
  setup: SessionSetup,
  accept: FirstAcceptance | null,
  readers: PackageReaders & { readonly agreements: { readonly agreements: Naming['agreements'] } },
): Promise<LoadResult> {
  const {
    directories,
    root: cwd,
    parse,
    policy: { ignore, depth },
  } = setup;
  const { problems, missing, scanned, nested, ...discovered } = discover(directories, {
    ...{ cwd, formats: readers.formats, ignore, depth },
  });
  const found = discovered.found.filter((it) => !readers.installations.isStored(it.path));
  const [missingPath] = missing;
  if (missingPath !== undefined) {
    throw new HostError('not_found', `no such file or folder: ${missingPath}`, {
      hint: 'name a manifest, or a folder with packages',
    });
  }
  const places = setup.places ?? (await readers.installations.places(cwd));
  const naming: Naming = { setup, accept, agreements: readers.agreements.agreements };
  const installed: InstalledPlace[] = [];
  const left = new Set<DiscoveredManifest>();
  for (const it of places) {
    const copy = copyOf(it, found);
    // A person who names the folder that a package was installed from means that folder.
    if (copy !== undefined && (await isMeant(copy, naming))) continue;
    if (copy !== undefined) left.add(copy);
    installed.push(it);
  }
  const loaded: LoadedPackage[] = [];
  for (const [index, it] of found.filter((it) => !left.has(it)).entries()) {
    // Lets other work of the host run in between.
    if (index % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
    loaded.push(await load(it, parse, readers));
  }
  for (const it of installed)
    loaded.push(await loadInstalled(it, setup, readers, setup.hasDigests ? it.digest : undefined));
  return { loaded, problems, scanned, nested };
}

/**
 * Loads one installed package. A damaged one is broken, as an edited package would be. `digest`: if the files were just
 * hashed; absent: they are read and hashed.
 */
export async function loadInstalled(
  place: InstalledPlace,
  { root: cwd, parse }: Pick<SessionSetup, 'root' | 'parse'>,
  readers: PackageReaders,
  digest?: string | undefined,
): Promise<LoadedPackage> {
  const { manifest, tree, lock } = place;
  const { found, problems } = discover([manifest], { cwd, formats: readers.formats, storedTree: tree });
  const [only] = found;
  if (only !== undefined)
    return {
      ...(await load(only, parse, readers, { resolved: (pkg) => withInstallLock(pkg, lock), digest })),
      installed: place,
    };
  const bundle = folderBundle({ root: tree, manifest, singleFile: true, displayRoot: tree });
  const message = `the installed files of ${place.package} are missing or damaged`;
  const hint = 'install the package again';
  const missing = makeDiagnostic('file.missing', manifest, startOfFile, message, hint);
  const diagnostics = [...problems, missing];
  return { path: manifest, file: manifest, format: '', bundle, diagnostics, installed: place };
}

async function load(
  found: DiscoveredManifest,
  options: ParseOptions,
  { parseCache, digests }: PackageReaders,
  installed?: { readonly resolved: (pkg: Package) => Package; readonly digest: string | undefined },
): Promise<LoadedPackage> {
  const { format, bundle, file, path } = found;
  const { package: declared, diagnostics, unmet } = await parseCache.parse(found, options);
  const base = { path, file, format: format.name, bundle, diagnostics };
  if (declared === undefined) return base;
  const pkg = installed?.resolved(declared) ?? declared;
  const files = bundle.files();
  if (files.length > maxFiles) {
    const message = `the package has more than ${maxFiles.toLocaleString('en')} files`;
    const hint = 'remove generated files, such as build output and installed dependencies';
    return {
      ...base,
      diagnostics: [...diagnostics, makeDiagnostic('file.too-many', file, startOfFile, message, hint)],
    };
  }
  // The manifest's path without its path in the bundle.
  const root = path.slice(0, path.length - bundle.manifest.length);
  const digestOf = () =>
    installed === undefined ? digests.of(pkg, bundle) : digests.ofStored(pkg, bundle, root);
  try {
    return {
      ...base,
      ...(unmet === undefined ? {} : { unmet }),
      catalog: { package: pkg, announced: [], digest: installed?.digest ?? digestOf() },
    };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const unreadable = makeDiagnostic(
      'file.unreadable',
      file,
      startOfFile,
      error.message,
      'remove it from the package',
    );
    return { ...base, diagnostics: [...diagnostics, unreadable] };
  }
}

/** Where the files of a package are on this machine: its folder, or its only file. */
export function packagePaths({ path, bundle }: LoadedPackage): string[] {
  const single = bundle.files().length === 1 && bundle.files()[0] === bundle.manifest;
  if (single && !bundle.manifest.includes('/')) return [path];
  return [bundle.manifest.includes('/') ? dirname(dirname(path)) : dirname(path)];
}

/**
 * What to hide from tools. `directories`: the folders that the session serves; each is hidden as a whole, unless it
 * contains the workspace `root`. Other packages are hidden one by one.
 */
export function packagePathsToHide(
  packages: readonly string[],
  directories: readonly string[],
  root: string,
): readonly string[] {
  const whole = directories.filter((it) => !isWithin(root, it));
  return [...new Set([...whole, ...packages.filter((it) => !whole.some((folder) => isWithin(it, folder)))])];
}
