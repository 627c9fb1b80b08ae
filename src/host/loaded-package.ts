import { createHash, type Hash, hash } from 'node:crypto';
import { dirname } from 'node:path';
import { type DiscoveredManifest, discover } from '../bundle/discover.js';
import { maxFiles } from '../bundle/folder.js';
import { makeDiagnostic } from '../formats/report.js';
import type { Bundle } from '../model/bundle.js';
import { type Diagnostic, startOfFile } from '../model/diagnostic.js';
import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { Catalog, Package } from '../model/package.js';
import type { ParseCache } from './parse-cache.js';
import type { SessionSetup } from './session-services.js';

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
  /** Set if an edit broke the files: this is the last valid version, and the text says why. */
  readonly stale?: string;
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

/** Loads all packages at the session's paths. A broken package does not affect the others. */
export async function loadPackages(
  { directories, root: cwd, parse, policy: { ignore, depth } }: SessionSetup,
  parseCache: ParseCache,
): Promise<LoadResult> {
  const { found, problems, missing, scanned, nested } = discover(directories, { cwd, ignore, depth });
  const [missingPath] = missing;
  if (missingPath !== undefined) {
    throw new HostError('not_found', `no such file or folder: ${missingPath}`, {
      hint: 'name a manifest, or a folder with packages',
    });
  }
  const loaded: LoadedPackage[] = [];
  for (const [index, it] of found.entries()) {
    // Lets other work of the host run in between.
    if (index % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
    loaded.push(await load(it, parse, parseCache));
  }
  return { loaded, problems, scanned, nested };
}

async function load(
  found: DiscoveredManifest,
  options: ParseOptions,
  parseCache: ParseCache,
): Promise<LoadedPackage> {
  const { format, bundle, file, path } = found;
  const { package: pkg, diagnostics } = await parseCache.parse(found, options);
  const base = { path, file, format: format.name, bundle, diagnostics };
  if (pkg === undefined) return base;
  const files = bundle.files();
  if (files.length > maxFiles) {
    const message = `the package has more than ${maxFiles.toLocaleString('en')} files`;
    const hint = 'remove generated files, such as build output and installed dependencies';
    return {
      ...base,
      diagnostics: [...diagnostics, makeDiagnostic('file.too-many', file, startOfFile, message, hint)],
    };
  }
  try {
    return {
      ...base,
      catalog: { package: pkg, announced: [], digest: digestPackage(pkg, bundle) },
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

/** Limit for all files of a package together. */
const maxBundleBytes = 256 * 1024 * 1024;

/** The files of a bundle, in order. Throws `integrity` for a file that cannot be read, and above the size limit. */
export function* bundleFiles(bundle: Bundle): Generator<readonly [path: string, bytes: Uint8Array]> {
  let total = 0;
  for (const path of bundle.files()) {
    const entry = bundle.read(path);
    if (entry.kind === 'rejected')
      throw new HostError('integrity', `${bundle.display(path)}: ${entry.detail}`);
    if (entry.kind !== 'file') continue;
    total += entry.bytes.length;
    if (total > maxBundleBytes)
      throw new HostError('integrity', 'the package has more than 256 MiB of files');
    yield [path, entry.bytes];
  }
}

/** Hashes of package models without any file, so that a model is serialized once for all sessions and copies. */
const modelHashes = new WeakMap<Package, Hash>();

/** Digest of a package: covers its parsed model, and the path and bytes of every file. */
export class PackageDigest {
  readonly #hash: Hash;

  constructor(pkg: Package) {
    const modelHash =
      modelHashes.get(pkg) ?? createHash('sha256').update(canonicalJson(pkg as unknown as Json));
    modelHashes.set(pkg, modelHash);
    this.#hash = modelHash.copy();
  }

  add(path: string, bytes: Uint8Array): void {
    this.#hash.update(`\0${path}\0${hash('sha256', bytes)}`);
  }

  finish(): string {
    return this.#hash.digest('hex');
  }
}

export function digestPackage(pkg: Package, bundle: Bundle): string {
  const digest = new PackageDigest(pkg);
  for (const [path, bytes] of bundleFiles(bundle)) digest.add(path, bytes);
  return digest.finish();
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
  const contains = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
  const whole = directories.filter((it) => !contains(it, root));
  return [...new Set([...whole, ...packages.filter((it) => !whole.some((folder) => contains(folder, it)))])];
}
