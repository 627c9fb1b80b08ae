import { createHash, type Hash, hash } from 'node:crypto';
import { dirname } from 'node:path';
import { type Discovered, discover } from '../bundle/discover.js';
import { maxFiles } from '../bundle/folder.js';
import { finding } from '../formats/report.js';
import type { Bundle } from '../model/bundle.js';
import { type Diagnostic, startOfFile } from '../model/diagnostic.js';
import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { Catalog, Package } from '../model/package.js';
import type { ParseCache } from './parse-cache.js';
import type { SessionSetup } from './session-services.js';

/** A package as it was found: understood, with the digest of what was understood, or broken. */
export interface Loaded {
  readonly path: string;
  readonly file: string;
  readonly format: string;
  readonly bundle: Bundle;
  readonly diagnostics: readonly Diagnostic[];
  readonly catalog?: Catalog;
  /** Its files were edited and cannot be used now; this is the version before, and why. */
  readonly stale?: string;
}

export interface LoadedFolder {
  readonly loaded: readonly Loaded[];
  readonly problems: readonly Diagnostic[];
  readonly scanned: number;
  readonly nested: number;
}

/** Reads everything at the named paths. A broken package never hides another. */
export async function loadPackages(
  { directories, root: cwd, parse, policy: { ignore, depth } }: SessionSetup,
  understandings: ParseCache,
): Promise<LoadedFolder> {
  const { found, problems, missing, scanned, nested } = discover(directories, { cwd, ignore, depth });
  const [lost] = missing;
  if (lost !== undefined) {
    throw new HostError('not_found', `there is nothing at ${lost}`, {
      hint: 'name a manifest, or a folder with packages',
    });
  }
  const loaded: Loaded[] = [];
  for (const [index, it] of found.entries()) {
    // Others use the host too.
    if (index % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
    loaded.push(await load(it, parse, understandings));
  }
  return { loaded, problems, scanned, nested };
}

async function load(found: Discovered, options: ParseOptions, understandings: ParseCache): Promise<Loaded> {
  const { format, bundle, file, path } = found;
  const { package: understood, diagnostics } = await understandings.of(found, options);
  const base = { path, file, format: format.name, bundle, diagnostics };
  if (understood === undefined) return base;
  const files = bundle.files();
  if (files.length > maxFiles) {
    const message = `the package has more than ${maxFiles.toLocaleString('en')} files`;
    const hint = 'keep what tools made out of it';
    return {
      ...base,
      diagnostics: [...diagnostics, finding('file.too-many', file, startOfFile, message, hint)],
    };
  }
  try {
    return {
      ...base,
      catalog: { package: understood, announced: [], digest: digestOf(understood, bundle) },
    };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const unreadable = finding(
      'file.unreadable',
      file,
      startOfFile,
      error.message,
      'keep such files out of the package',
    );
    return { ...base, diagnostics: [...diagnostics, unreadable] };
  }
}

/** All files of a package together. */
const maxBundleBytes = 256 * 1024 * 1024;

/** The files of a bundle, one after the other; what cannot be read is a reason not to use the package. */
export function* filesOf(bundle: Bundle): Generator<readonly [path: string, bytes: Uint8Array]> {
  let total = 0;
  for (const path of bundle.files()) {
    const entry = bundle.read(path);
    if (entry.kind === 'refused')
      throw new HostError('integrity', `${bundle.display(path)}: ${entry.detail}`);
    if (entry.kind !== 'file') continue;
    total += entry.bytes.length;
    if (total > maxBundleBytes)
      throw new HostError('integrity', 'the package has more than 256 MiB of files');
    yield [path, entry.bytes];
  }
}

/** Of models, before any file: one is spelled once, however many sessions and copies there are. */
const begun = new WeakMap<Package, Hash>();

/** Over the model and every file: the same bytes under the same promises, or another digest. */
export class PackageDigest {
  readonly #hash: Hash;

  constructor(understood: Package) {
    const known =
      begun.get(understood) ?? createHash('sha256').update(canonicalJson(understood as unknown as Json));
    begun.set(understood, known);
    this.#hash = known.copy();
  }

  add(path: string, bytes: Uint8Array): void {
    this.#hash.update(`\0${path}\0${hash('sha256', bytes)}`);
  }

  finish(): string {
    return this.#hash.digest('hex');
  }
}

export function digestOf(understood: Package, bundle: Bundle): string {
  const digest = new PackageDigest(understood);
  for (const [path, bytes] of filesOf(bundle)) digest.add(path, bytes);
  return digest.finish();
}

/** Files of a package on this machine: its folder, or its one file. */
export function ownPaths({ path, bundle }: Loaded): string[] {
  const single = bundle.files().length === 1 && bundle.files()[0] === bundle.manifest;
  if (single && !bundle.manifest.includes('/')) return [path];
  return [bundle.manifest.includes('/') ? dirname(dirname(path)) : dirname(path)];
}

/** Folders that were named for their packages are hidden whole, unless the workspace is in them. */
export function hiddenTogether(
  packages: readonly string[],
  named: readonly string[],
  root: string,
): readonly string[] {
  const holds = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
  const whole = named.filter((it) => !holds(it, root));
  return [...new Set([...whole, ...packages.filter((it) => !whole.some((folder) => holds(folder, it)))])];
}
