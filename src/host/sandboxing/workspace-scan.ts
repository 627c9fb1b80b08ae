import { statSync } from 'node:fs';
import { containsPrivateKey, type FolderListing, listFolder, type SteeringPlace } from './folder-listing.js';

/** What a scan found in a folder, at every depth. */
export interface WorkspaceScan {
  /** Files and folders with credentials, and folders that cannot be looked into. */
  readonly keys: readonly string[];
  /** Places that steer other programs; only the outermost of nested ones. */
  readonly places: readonly SteeringPlace[];
  /** Number of files and folders that were looked at. */
  readonly count: number;
}

/** How long a scan works before other work of the host gets its turn. */
const sliceMs = 8;

/** Scans one folder, again and again. Folders that did not change since the last scan are not listed again. */
export class WorkspaceScanner {
  readonly #root: string;
  readonly #now: () => number;
  #listings: ReadonlyMap<string, FolderListing> = new Map();
  /** Whether a file with this name and identity has a private key. */
  #contents: ReadonlyMap<string, boolean> = new Map();

  /** `now`: milliseconds since 1970. */
  constructor(root: string, now: () => number) {
    this.#root = root;
    this.#now = now;
  }

  /** Looks at upper folders first, and stops when it saw more than `maxEntries`: `count` shows that. */
  async scan(maxEntries: number): Promise<WorkspaceScan> {
    const listings = new Map<string, FolderListing>();
    const contents = new Map<string, boolean>();
    const keys: string[] = [];
    const places: SteeringPlace[] = [];
    const waiting = [{ path: this.#root, isInPlace: false }];
    let count = 0;
    let sliceStart = performance.now();
    // The list grows during the loop.
    for (const { path, isInPlace } of waiting) {
      if (count > maxEntries) break;
      if (performance.now() - sliceStart > sliceMs) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceStart = performance.now();
      }
      const listing = listFolder(path, this.#listings.get(path), this.#now);
      if (listing === null) {
        // A tool could make it readable again, if the folder belongs to the same user.
        keys.push(path);
        continue;
      }
      listings.set(path, listing);
      count += listing.count;
      keys.push(...listing.keys, ...listing.maybeKeys.filter((it) => this.#isPrivate(it, contents)));
      if (!isInPlace) places.push(...listing.places);
      for (const folder of listing.folders)
        waiting.push({
          path: folder,
          isInPlace: isInPlace || listing.places.some((it) => it.path === folder),
        });
    }
    this.#listings = listings;
    this.#contents = contents;
    return { keys, places, count };
  }

  #isPrivate(path: string, contents: Map<string, boolean>): boolean {
    const key = contentKey(path);
    if (key === undefined) return false;
    if (key === null) return true;
    const found = this.#contents.get(key) ?? containsPrivateKey(path);
    contents.set(key, found);
    return found;
  }
}

/** Undefined if there is no such file, null if it cannot be reached. */
function contentKey(path: string): string | undefined | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { dev, ino, size, ctimeNs } = stats;
    return `${path}\0${dev}:${ino}:${size}:${ctimeNs}`;
  } catch {
    return null;
  }
}
