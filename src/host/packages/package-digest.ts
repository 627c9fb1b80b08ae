import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import { KnownHashes, statsOf } from '../../files/known-hashes.js';
import { sha256 } from '../../files/sha256.js';
import type { Bundle } from '../../model/bundle.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { Package } from '../../model/package.js';

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
    assertSize(total);
    yield [path, entry.bytes];
  }
}

/** Digests of packages: they cover the parsed model, and the path and bytes of every file. */
export class PackageDigests {
  /** Of files in the content store. */
  readonly hashes = new KnownHashes();
  /** Hashes of models without any file, so that a model is serialized once for all sessions and copies. */
  readonly #models = new WeakMap<Package, Hash>();

  /** Starts a digest; the files are added one by one. */
  begin(pkg: Package): PackageDigest {
    const model = this.#models.get(pkg) ?? createHash('sha256').update(canonicalJson(pkg as unknown as Json));
    this.#models.set(pkg, model);
    return new PackageDigest(model.copy());
  }

  of(pkg: Package, bundle: Bundle): string {
    const digest = this.begin(pkg);
    for (const [path, bytes] of bundleFiles(bundle)) digest.add(path, bytes);
    return digest.finish();
  }

  /** The same for a bundle in the content store, whose root is this folder. Files with a known hash are not read again. */
  ofStored(pkg: Package, bundle: Bundle, root: string): string {
    const digest = this.begin(pkg);
    let total = 0;
    for (const path of bundle.files()) {
      const full = join(root, path);
      const stats = statsOf(full);
      const known = this.hashes.get(full, stats);
      const hash = known ?? sha256(bytesOf(bundle, path));
      if (known === undefined && stats !== undefined) this.hashes.remember(full, hash, stats);
      total += Number(stats?.size ?? 0);
      assertSize(total);
      digest.addHash(path, hash);
    }
    return digest.finish();
  }
}

function bytesOf(bundle: Bundle, path: string): Uint8Array {
  const entry = bundle.read(path);
  if (entry.kind === 'file') return entry.bytes;
  const detail = entry.kind === 'rejected' ? entry.detail : 'this is not a file';
  throw new HostError('integrity', `${bundle.display(path)}: ${detail}`);
}

function assertSize(total: number): void {
  if (total > maxBundleBytes) throw new HostError('integrity', 'the package has more than 256 MiB of files');
}

class PackageDigest {
  readonly #hash: Hash;

  constructor(modelHash: Hash) {
    this.#hash = modelHash;
  }

  add(path: string, bytes: Uint8Array): void {
    this.addHash(path, sha256(bytes));
  }

  addHash(path: string, hash: string): void {
    this.#hash.update(`\0${path}\0${hash}`);
  }

  finish(): string {
    return this.#hash.digest('hex');
  }
}
