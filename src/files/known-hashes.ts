import { type BigIntStats, lstatSync } from 'node:fs';

interface KnownHash {
  readonly identity: string;
  readonly sha256: string;
}

/** More than the packages of one host have; then it starts again with none. */
const maxHashes = 100_000;

/**
 * Hashes of files that this process wrote or read, so that unchanged files are not read again. Only for files that the
 * host owns: any write to a file changes its times, and only the owner of the machine can set the time of a change.
 */
export class KnownHashes {
  readonly #hashes = new Map<string, KnownHash>();

  /** Call it after the last change of the file, or with what was known about it before it was read. */
  remember(path: string, sha256: string, stats = statsOf(path)): void {
    if (stats === undefined) return;
    if (this.#hashes.size >= maxHashes) this.#hashes.clear();
    this.#hashes.set(path, { identity: identityOf(stats), sha256 });
  }

  /** Undefined if the file may have changed since. */
  get(path: string, stats = statsOf(path)): string | undefined {
    const known = this.#hashes.get(path);
    if (known === undefined || stats === undefined) return undefined;
    if (known.identity === identityOf(stats)) return known.sha256;
    this.#hashes.delete(path);
    return undefined;
  }
}

/** Undefined for everything that is not a regular file. */
export function statsOf(path: string): BigIntStats | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() === true ? stats : undefined;
}

function identityOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`;
}
