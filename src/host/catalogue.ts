import { createHash } from 'node:crypto';
import { type Discovered, discover } from '../bundle/discover.js';
import { inspect } from '../formats/index.js';
import type { Bundle } from '../model/bundle.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { Catalogue, Package } from '../model/package.js';

/** A package as it was found: understood, with the digest of what was understood, or broken. */
export interface Loaded {
  readonly path: string;
  readonly file: string;
  readonly format: string;
  readonly bundle: Bundle;
  readonly diagnostics: readonly Diagnostic[];
  readonly catalogue?: Catalogue;
}

export interface LoadedFolder {
  readonly loaded: readonly Loaded[];
  readonly problems: readonly Diagnostic[];
  readonly scanned: number;
}

/** Reads everything at the named paths. A broken package never hides another. */
export function loadPackages(paths: readonly string[], cwd: string, options: ParseOptions): LoadedFolder {
  const { found, problems, missing, scanned } = discover(paths, { cwd });
  const [lost] = missing;
  if (lost !== undefined) {
    throw new HostError('not_found', `there is nothing at ${lost}`, {
      hint: 'name a manifest, or a folder with packages',
    });
  }
  return { loaded: found.map((it) => load(it, options)), problems, scanned };
}

function load({ format, bundle, file, path }: Discovered, options: ParseOptions): Loaded {
  const { package: understood, diagnostics } = inspect(format, bundle, options);
  const base = { path, file, format: format.name, bundle, diagnostics };
  if (understood === undefined) return base;
  return {
    ...base,
    catalogue: { package: understood, announced: [], digest: digestOf(understood, filesOf(bundle)) },
  };
}

export type FileBytes = readonly [path: string, bytes: Uint8Array];

export function filesOf(bundle: Bundle): FileBytes[] {
  return bundle.files().flatMap((path) => {
    const entry = bundle.read(path);
    return entry.kind === 'file' ? [[path, entry.bytes] as const] : [];
  });
}

/** Over the model and every file: the same bytes under the same promises, or another digest. */
export function digestOf(understood: Package, files: readonly FileBytes[]): string {
  const hash = createHash('sha256').update(canonicalJson(understood as unknown as Json));
  for (const [path, bytes] of files)
    hash.update(`\0${path}\0${createHash('sha256').update(bytes).digest('hex')}`);
  return hash.digest('hex');
}
