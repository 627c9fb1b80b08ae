import { HostError } from '../../model/host-error.js';
import type { MountGuard } from '../../run/mount-guard.js';
import type { Mount } from '../../sandbox/sandbox.js';
import type { StoredMovedFile } from '../../store/moved-files.js';
import { type FolderCheck, type FolderServices, WatchedFolder } from './watched-folder.js';

export interface WorkspaceGuardOptions extends Omit<FolderServices, 'onOutdated'> {
  readonly onBug: (error: unknown) => void;
  /** For tests. Default: 200,000. */
  readonly maxEntries?: number | undefined;
}

/** Folders that are remembered although no process uses them. */
const maxIdleFolders = 32;
const tickMs = 1000;

/** Watches all folders of users that are mounted for tools. */
export class WorkspaceGuard {
  readonly #options: WorkspaceGuardOptions;
  /** By real path. */
  readonly #folders = new Map<string, WatchedFolder>();
  #endOutdated: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #outdatedSoon = false;
  #closed = false;

  constructor(options: WorkspaceGuardOptions) {
    this.#options = options;
  }

  /** Sets what ends the kept processes that are outdated. */
  attach(endOutdated: () => void): void {
    this.#endOutdated = endOutdated;
  }

  /** Checks a folder. `root`: its real path. Throws `workspace_unusable` if it is too large. */
  check(root: string): Promise<FolderCheck> {
    return this.#folder(root).check();
  }

  /** Like `check`, but an earlier result is enough. */
  async checkOnce(root: string): Promise<FolderCheck> {
    const folder = this.#folder(root);
    return folder.last ?? (await folder.check());
  }

  /** Registers protected paths below a folder; returns those that nothing may be mounted from. */
  protect(root: string, paths: readonly string[]): ReadonlySet<string> {
    return this.#folder(root).protect(paths);
  }

  /** Follows the processes that get these mounts. To be called after `protect`. */
  guardFor(mounts: readonly Mount[], packageId: string): MountGuard {
    const all = mounts.map(({ source, writable }) => {
      const folder = this.#folder(source);
      return { folder, writable, generation: folder.generation };
    });
    const writable = all.filter((it) => it.writable);
    return {
      isOutdated: () => all.some((it) => it.folder.generation > it.generation),
      started: (process) => {
        if (writable.length === 0) return;
        for (const { folder, generation } of writable) folder.started(process, generation, packageId);
        this.#schedule();
        process.exited
          .catch(() => {})
          .finally(() => {
            for (const { folder } of writable) folder.ended(process);
          });
      },
      settle: async () => {
        const notes = await Promise.all(writable.map((it) => settled(it.folder)));
        return [...new Set(notes.flat())];
      },
    };
  }

  /** Puts a moved file back; `work` does it. */
  async restore(file: StoredMovedFile, work: () => void): Promise<void> {
    await this.#folder(file.folder).restore(file, work);
  }

  /** Checks a last time, after all processes have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const touched = [...this.#folders.values()].filter((it) => it.isTouched);
    await Promise.all(touched.map((it) => settled(it).catch(this.#options.onBug)));
  }

  #folder(root: string): WatchedFolder {
    const known = this.#folders.get(root);
    if (known !== undefined) return known;
    const idle = [...this.#folders].filter(([, it]) => !it.isTouched);
    const [oldest] = idle;
    if (idle.length >= maxIdleFolders && oldest !== undefined) this.#folders.delete(oldest[0]);
    const { maxEntries } = this.#options;
    const onOutdated = () => this.#outdated();
    const folder = new WatchedFolder(root, { ...this.#options, onOutdated }, maxEntries);
    this.#folders.set(root, folder);
    return folder;
  }

  /** One pass for all changes of the same moment. */
  #outdated(): void {
    if (this.#outdatedSoon) return;
    this.#outdatedSoon = true;
    setImmediate(() => {
      this.#outdatedSoon = false;
      this.#endOutdated();
    });
  }

  /** Processes can write between calls too, so touched folders are checked regularly. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => void this.#tick(), tickMs);
    this.#timer.unref();
  }

  async #tick(): Promise<void> {
    const now = performance.now();
    for (const folder of this.#folders.values()) {
      if (!folder.isDue(now)) continue;
      try {
        await folder.check();
      } catch (error) {
        // A folder that became too large is not mounted again; that call reports it.
        if (!(error instanceof HostError)) this.#options.onBug(error);
      }
    }
    this.#timer = undefined;
    if ([...this.#folders.values()].some((it) => it.isTouched)) this.#schedule();
  }
}

async function settled(folder: WatchedFolder): Promise<readonly string[]> {
  try {
    return (await folder.check()).moved.map(movedNote);
  } catch (error) {
    if (error instanceof HostError) return [error.message];
    throw error;
  }
}

function movedNote(path: string): string {
  return `${path} was moved aside, because it steers other programs; a person can restore it: toolwharf quarantine`;
}
