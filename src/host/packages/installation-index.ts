import { join } from 'node:path';
import { isWithin } from '../../files/path-containment.js';
import type { InstallLock, SmokeResult } from '../../model/installation.js';
import { LoadOnce } from '../../model/load-once.js';
import type { LockedSource } from '../../model/source.js';
import type { InstallationRows, StoredGeneration } from '../../store/installations.js';

/** Where one generation of an installed package is, and what was agreed for it. */
export interface InstalledPlace {
  readonly package: string;
  readonly generation: number;
  /** Root of its files in the content store: an absolute path. */
  readonly tree: string;
  /** Absolute path of its manifest. */
  readonly manifest: string;
  readonly locked: LockedSource;
  readonly lock: InstallLock;
  /** Digest of the package that was agreed to. */
  readonly digest: string;
  /** In the syntax of `--allow`. */
  readonly grants: readonly string[];
  readonly smoke: SmokeResult;
}

interface RootedPlace {
  readonly place: InstalledPlace;
  readonly root: string | null;
}

/** The generations that sessions serve. Read for every session, so they are cached: no other process writes them. */
export class InstallationIndex {
  readonly #rows: InstallationRows;
  readonly #treePath: (digest: string) => string;
  readonly #folder: string;
  readonly #places = new LoadOnce(() => this.#read());
  /** Grows with every change, so that open sessions notice it. */
  version = 0;

  /** `folder`: of the content store. */
  constructor(rows: InstallationRows, folder: string, treePath: (digest: string) => string) {
    this.#rows = rows;
    this.#folder = folder;
    this.#treePath = treePath;
  }

  /** What a session with this workspace serves, sorted by package. */
  async places(workspace: string): Promise<readonly InstalledPlace[]> {
    const all = await this.#places.get();
    return all.filter((it) => it.root === null || it.root === workspace).map((it) => it.place);
  }

  /** Whether a path is in the content store. A folder with the state directory in it has no packages there. */
  isStored(path: string): boolean {
    return isWithin(path, this.#folder);
  }

  /** Call it after every change of the rows. */
  changed(): void {
    this.version++;
    this.#places.forget();
  }

  placeOf(generation: StoredGeneration): InstalledPlace {
    return placeOf(generation, this.#treePath(generation.tree));
  }

  async #read(): Promise<readonly RootedPlace[]> {
    const found: RootedPlace[] = [];
    for (const it of await this.#rows.list()) {
      if (it.state !== 'active') continue;
      const generation = await this.#rows.generation(it.package, it.current);
      if (generation !== undefined) found.push({ place: this.placeOf(generation), root: it.root });
    }
    return found;
  }
}

function placeOf(generation: StoredGeneration, tree: string): InstalledPlace {
  const { package: id, number, manifest, locked, lock, digest, grants, smoke } = generation;
  return {
    ...{ package: id, generation: number, tree, manifest: join(tree, manifest) },
    ...{ locked, lock, digest, grants, smoke },
  };
}
