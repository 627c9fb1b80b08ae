import { isWithin } from '../../files/path-containment.js';
import { HostError } from '../../model/host-error.js';
import type { SuspiciousPlace } from '../operator/quarantine.js';
import { createQueue } from '../queue.js';
import { type EntryIdentity, entryIdentity, type SteeringPlace } from './folder-listing.js';
import { isHarmlessGitPlace } from './harmless-git-place.js';
import { type WorkspaceScan, WorkspaceScanner } from './workspace-scan.js';

/** What a watched folder needs from the host. */
export interface FolderServices {
  /** False if the place no longer exists. Throws if it cannot be moved. */
  moveAside(place: SuspiciousPlace): Promise<boolean>;
  /** Called once for a place that cannot be moved. */
  reportStuck(path: string, packages: readonly string[], reason: string): Promise<void>;
  /** Called when processes should end, because more paths are protected than they know. */
  onOutdated(): void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The result of a check: what to protect, and what was done. */
export interface FolderCheck extends WorkspaceScan {
  /** Paths that were moved aside now. */
  readonly moved: readonly string[];
  /** Suspicious places that could not be moved. */
  readonly stuck: readonly string[];
}

/** A path that is protected in this folder. */
interface Protected {
  readonly identity: EntryIdentity;
  /** Processes that started with an earlier generation do not know it. */
  readonly generation: number;
}

interface Writer {
  readonly generation: number;
  readonly package: string;
}

/** A folder with more files and folders is not mounted. */
const defaultMaxEntries = 200_000;
/** After a call, a folder is searched further than that: a tool must not hide a place behind many files. */
const furtherSearch = 10;
/** How long a process may still have an effect after its exit was reported. */
const lastEffectsMs = 1000;
/** How long a restore waits for the end of processes. */
const endingMs = 3000;

/**
 * A folder of the user that is mounted for tools. It finds what to protect there, and moves aside what appears in
 * steering places while a process can write to the folder. The host cannot know who made it: that may also be the user.
 */
export class WatchedFolder {
  readonly #root: string;
  readonly #services: FolderServices;
  readonly #scanner: WorkspaceScanner;
  readonly #maxEntries: number;
  /** One check or restore at a time. */
  readonly #queue = createQueue(1);
  readonly #writers = new Map<object, Writer>();
  readonly #protected = new Map<string, Protected>();
  /** The steering places of the last check; null before the first one. */
  #places: ReadonlyMap<string, SteeringPlace> | null = null;
  #generation = 0;
  /** Whether a process could have written since the last check that began without one. */
  #touched = false;
  #starts = 0;
  /** From this time on, processes that ended have no effect any more. */
  #quietAt = 0;
  readonly #packages = new Set<string>();
  readonly #reported = new Set<string>();
  #last: FolderCheck | undefined;
  /** Duration of the last check. */
  #checkMs = 0;
  #checkedAt = 0;

  constructor(root: string, services: FolderServices, maxEntries = defaultMaxEntries) {
    this.#root = root;
    this.#services = services;
    this.#maxEntries = maxEntries;
    this.#scanner = new WorkspaceScanner(root, services.now);
  }

  /** Whether it must be checked again although nobody calls a tool. */
  get isTouched(): boolean {
    return this.#touched;
  }

  /** Whether the next regular check is due. Checks take at most a twentieth of the time. */
  isDue(now: number): boolean {
    if (!this.#touched) return false;
    const pause = this.#writers.size === 0 ? 0 : 2000;
    return now - this.#checkedAt >= Math.max(pause, this.#checkMs * 20);
  }

  get generation(): number {
    return this.#generation;
  }

  /** The result of the last check, if there is one. */
  get last(): FolderCheck | undefined {
    return this.#last;
  }

  /** Throws `workspace_unusable` if the folder has too many entries. */
  check(): Promise<FolderCheck> {
    return this.#queue(() => this.#check());
  }

  /** A process that can write to the folder starts. `generation`: of what it knows to be protected. */
  started(process: object, generation: number, packageId: string): void {
    this.#writers.set(process, { generation, package: packageId });
    this.#packages.add(packageId);
    this.#touched = true;
    this.#starts++;
  }

  ended(process: object): void {
    if (this.#writers.delete(process)) this.#quietAt = performance.now() + lastEffectsMs;
  }

  /**
   * Registers paths that a new process must not see or change. Returns those whose folders an older process could
   * replace by links at this moment, because it started before they were protected: nothing may be mounted from there.
   */
  protect(paths: readonly string[]): ReadonlySet<string> {
    this.#remember(paths);
    const oldest = Math.min(...[...this.#writers.values()].map((it) => it.generation));
    return new Set(paths.filter((it) => (this.#protected.get(it)?.generation ?? 0) > oldest));
  }

  /** Puts a file back with `work`, after the processes that can write to the folder have ended. */
  restore({ path, kind }: SteeringPlace, work: () => void): Promise<void> {
    return this.#queue(async () => {
      this.#generation++;
      this.#services.onOutdated();
      const deadline = performance.now() + endingMs;
      while (this.#writers.size > 0 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20));
      if (this.#writers.size > 0)
        throw new HostError(
          'unavailable',
          `${path} cannot be restored: programs that can write to ${this.#root} are running`,
          { hint: `wait until their calls have ended: ${[...this.#packages].join(', ')}` },
        );
      work();
      if (this.#places !== null) this.#adopt([...this.#places.values(), { path, kind }]);
    });
  }

  async #check(): Promise<FolderCheck> {
    const begun = performance.now();
    const starts = this.#starts;
    const isQuiet = this.#writers.size === 0 && begun >= this.#quietAt;
    const limit = this.#touched ? this.#maxEntries * furtherSearch : this.#maxEntries;
    const { keys, places, count } = await this.#scanner.scan(limit);
    if (count > limit && this.#touched) await this.#reportOnce(this.#root, 'it has too many files to search');
    const moved: string[] = [];
    const stuck: string[] = [];
    const kept: SteeringPlace[] = [];
    for (const place of places) {
      const verdict = this.#isSuspicious(place) ? await this.#moveAside(place) : 'kept';
      if (verdict === 'moved') moved.push(place.path);
      if (verdict === 'stuck') stuck.push(place.path);
      if (verdict === 'kept') kept.push(place);
    }
    this.#adopt(kept);
    const visibleKeys = keys.filter((key) => !moved.some((it) => isWithin(key, it)));
    this.#remember([...visibleKeys, ...kept.map((it) => it.path)]);
    if (isQuiet && starts === this.#starts && stuck.length === 0) {
      this.#touched = false;
      this.#packages.clear();
    }
    this.#checkedAt = performance.now();
    this.#checkMs = this.#checkedAt - begun;
    this.#last = undefined;
    if (count > this.#maxEntries) throw tooLarge(this.#root, this.#maxEntries);
    this.#last = { keys: visibleKeys, places: kept, count, moved, stuck };
    return this.#last;
  }

  #adopt(places: readonly SteeringPlace[]): void {
    this.#places = new Map(places.map((it) => [it.path, it]));
  }

  /** Whether a process of a package may have made or changed the place. */
  #isSuspicious(place: SteeringPlace): boolean {
    if (this.#places === null || !this.#touched) return false;
    const before = this.#places.get(place.path);
    if (before === undefined) return !isHarmlessGitPlace(place);
    const known = this.#protected.get(place.path);
    const now = entryIdentity(place.path);
    if (known === undefined || now === undefined) return false;
    const isSame = known.identity.entry === now.entry && known.identity.changed === now.changed;
    // Nothing can be mounted on a link, so a process can replace it. Other places are read-only for processes that
    // started after they were found.
    const isCovered =
      before.kind !== 'link' && ![...this.#writers.values()].some((it) => it.generation < known.generation);
    return !isSame && !isCovered && !isHarmlessGitPlace(place);
  }

  async #moveAside({ path, kind }: SteeringPlace): Promise<'moved' | 'stuck' | 'kept'> {
    const packages = [...this.#packages].sort();
    try {
      await this.#services.moveAside({ folder: this.#root, path, kind, packages });
      return 'moved';
    } catch (error) {
      await this.#reportOnce(path, error instanceof Error ? error.message : String(error));
      return 'stuck';
    }
  }

  async #reportOnce(path: string, reason: string): Promise<void> {
    if (this.#reported.has(path)) return;
    this.#reported.add(path);
    await this.#services.reportStuck(path, [...this.#packages].sort(), reason);
  }

  /** New paths, and paths that were created again, are unknown to all processes that already run. */
  #remember(paths: readonly string[]): void {
    let next: number | undefined;
    for (const path of paths) {
      const identity = entryIdentity(path);
      if (identity === undefined) continue;
      const known = this.#protected.get(path);
      if (known?.identity.entry === identity.entry) {
        if (known.identity.changed !== identity.changed)
          this.#protected.set(path, { identity, generation: known.generation });
        continue;
      }
      next ??= this.#generation + 1;
      this.#protected.set(path, { identity, generation: next });
    }
    if (next === undefined) return;
    this.#generation = next;
    this.#services.onOutdated();
  }
}

function tooLarge(root: string, limit: number): HostError {
  const entries = limit.toLocaleString('en');
  return new HostError(
    'workspace_unusable',
    `the workspace ${root} has more than ${entries} files and folders, too many to search for keys`,
    { hint: 'choose a smaller folder with --root, or move generated files out of it' },
  );
}
