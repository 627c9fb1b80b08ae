import { join } from 'node:path';
import { isWithin } from '../../files/path-containment.js';
import type {
  FailedUpdate,
  GenerationTrial,
  Installation,
  InstallLock,
  SmokeResult,
} from '../../model/installation.js';
import { LoadOnce } from '../../model/load-once.js';
import type { LockedSource } from '../../model/source.js';
import type { InstallationRows, StoredGeneration } from '../../store/installations.js';
import type { RevokedPackages } from '../../store/revoked-packages.js';

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
  /** As it was when this was read. Null: it is not on trial. */
  readonly trial: GenerationTrial | null;
  /** The newest generation after it that never started, so that the host went back to this one. */
  readonly wentBackFrom?: FailedUpdate | undefined;
  /** True: nobody agreed to it yet, so it is only started once, without what it asks for. */
  readonly isTrial?: boolean;
}

interface RootedPlace {
  readonly place: InstalledPlace;
  readonly roots: Installation['roots'];
}

/** The generations that sessions serve. Read for every session, so they are cached: no other process writes them. */
export class InstallationIndex {
  readonly #rows: InstallationRows;
  readonly #revoked: Pick<RevokedPackages, 'list'>;
  readonly #treePath: (digest: string) => string;
  readonly #folder: string;
  readonly #places = new LoadOnce(() => this.#read());
  /** Grows with every change, so that open sessions notice it. */
  version = 0;

  /** `folder`: of the content store. */
  constructor(
    rows: InstallationRows,
    revoked: Pick<RevokedPackages, 'list'>,
    folder: string,
    treePath: (digest: string) => string,
  ) {
    this.#rows = rows;
    this.#revoked = revoked;
    this.#folder = folder;
    this.#treePath = treePath;
  }

  /** What a session with this workspace serves, sorted by package. */
  async places(workspace: string): Promise<readonly InstalledPlace[]> {
    const all = await this.#places.get();
    return all.filter((it) => it.roots === null || it.roots.includes(workspace)).map((it) => it.place);
  }

  /** What is served in any workspace, sorted by package. */
  async all(): Promise<readonly InstalledPlace[]> {
    return (await this.#places.get()).map((it) => it.place);
  }

  /** What is served of a package in any workspace. */
  async current(packageId: string): Promise<InstalledPlace | undefined> {
    return (await this.#places.get()).find((it) => it.place.package === packageId)?.place;
  }

  /** Says that a package was revoked and by whom; undefined if it was not. */
  async revocationOf(packageId: string): Promise<string | undefined> {
    const found = (await this.#revoked.list()).find((it) => it.package === packageId);
    if (found === undefined || (await this.current(packageId)) !== undefined) return undefined;
    return `${packageId} was revoked on ${new Date(found.at).toISOString().slice(0, 10)} by ${found.by}`;
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
    const generations = new Map<string, StoredGeneration[]>();
    for (const it of await this.#rows.generations())
      generations.set(it.package, [...(generations.get(it.package) ?? []), it]);
    for (const it of await this.#rows.list()) {
      if (it.state !== 'active') continue;
      const all = generations.get(it.package) ?? [];
      const generation = all.find(({ number }) => number === it.current);
      if (generation === undefined) continue;
      const place = { ...this.placeOf(generation), wentBackFrom: failedAfter(generation, all) };
      found.push({ place, roots: it.roots });
    }
    return found;
  }
}

/** The newest of the later generations that never started. */
export function failedAfter(
  { number }: StoredGeneration,
  all: readonly StoredGeneration[],
): FailedUpdate | undefined {
  const failed = all.filter((it) => it.number > number && it.trial?.state === 'failed').at(-1);
  if (failed === undefined || failed.trial === null) return undefined;
  return { generation: failed.number, version: failed.version, trial: failed.trial };
}

function placeOf(generation: StoredGeneration, tree: string): InstalledPlace {
  const { package: id, number, manifest, locked, lock, digest, grants, smoke, trial } = generation;
  return {
    ...{ package: id, generation: number, tree, manifest: join(tree, manifest) },
    ...{ locked, lock, digest, grants, smoke, trial },
  };
}
