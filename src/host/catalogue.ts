import { createHash } from 'node:crypto';
import { type Discovered, discover } from '../bundle/discover.js';
import { maxFiles } from '../bundle/folder.js';
import { inspect } from '../formats/inspect.js';
import { finding } from '../formats/report.js';
import type { Bundle } from '../model/bundle.js';
import { type Diagnostic, startOfFile } from '../model/diagnostic.js';
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
export async function loadPackages(
  paths: readonly string[],
  cwd: string,
  options: ParseOptions,
): Promise<LoadedFolder> {
  const { found, problems, missing, scanned } = discover(paths, { cwd });
  const [lost] = missing;
  if (lost !== undefined) {
    throw new HostError('not_found', `there is nothing at ${lost}`, {
      hint: 'name a manifest, or a folder with packages',
    });
  }
  return { loaded: await Promise.all(found.map((it) => load(it, options))), problems, scanned };
}

async function load({ format, bundle, file, path }: Discovered, options: ParseOptions): Promise<Loaded> {
  const { package: understood, diagnostics } = inspect(await format.load(), bundle, options);
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
