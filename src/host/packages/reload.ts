import { type PathWatcher, watchPaths } from '../../bundle/watch.js';
import { HostError } from '../../model/host-error.js';
import type { LoadedPackage, LoadResult } from './loaded-package.js';

export interface ReloadOptions {
  /** The lists may have changed. Called once for edits at about the same time, for all sessions. */
  readonly onChanged: () => void;
  /** A sentence for each package that changed. */
  readonly onReload: (lines: readonly string[]) => void;
  readonly onBug: (error: unknown) => void;
}

/** The packages of a session, as far as reloading is concerned. */
export interface ReloadablePackages {
  /** Loads them again. Returns a sentence per change. */
  reload(): Promise<readonly string[]>;
}

interface WatchedPaths {
  readonly watcher: PathWatcher;
  readonly sessions: Set<ReloadablePackages>;
}

/** Reloads the packages of sessions when their files are edited. Sessions with the same paths share a watcher. */
export class Reloads {
  readonly #options: ReloadOptions;
  readonly #watched = new Map<string, WatchedPaths>();
  #reloading: Promise<void> = Promise.resolve();

  constructor(options: ReloadOptions) {
    this.#options = options;
  }

  /** Returns a function that stops watching. */
  watch(session: ReloadablePackages, paths: readonly string[], ignore: readonly string[]): () => void {
    if (paths.length === 0) return () => {};
    const key = JSON.stringify([[...paths].sort(), [...ignore].sort()]);
    const known = this.#watched.get(key) ?? this.#watch(key, paths, ignore);
    known.sessions.add(session);
    return () => {
      known.sessions.delete(session);
      if (known.sessions.size > 0) return;
      known.watcher.close();
      this.#watched.delete(key);
    };
  }

  close(): Promise<void> {
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
    return this.#reloading;
  }

  #watch(key: string, paths: readonly string[], ignore: readonly string[]): WatchedPaths {
    const sessions = new Set<ReloadablePackages>();
    const watcher = watchPaths({
      paths,
      ignore,
      onChange: () => this.#reload(sessions),
      onFailure: (reason) =>
        this.#options.onReload([`edits are not noticed: ${reason}; restart the host to load them`]),
    });
    const watched = { watcher, sessions };
    this.#watched.set(key, watched);
    return watched;
  }

  /** Serializes reloads: an edit during a reload causes another one. */
  #reload(sessions: ReadonlySet<ReloadablePackages>): void {
    const { onChanged, onReload, onBug } = this.#options;
    this.#reloading = this.#reloading
      .then(async () => {
        const lines = await Promise.all([...sessions].map((it) => it.reload()));
        const differences = new Set(lines.flat());
        if (differences.size === 0) return;
        onChanged();
        onReload([...differences]);
      })
      .catch(onBug);
  }
}

/** No packages if the path no longer exists; other errors are thrown again. */
export function emptyIfNotFound(error: unknown): LoadResult {
  if (!(error instanceof HostError) || error.code !== 'not_found') throw error;
  return { loaded: [], problems: [], scanned: 0, nested: 0 };
}

/**
 * The packages to serve after an edit. A package that the edit broke keeps its last valid version, with a remark.
 * Calls use its staged copy, so the old files need not exist any more.
 */
export function keepLastValid(before: LoadResult, after: LoadResult): LoadResult {
  const lastValid = new Map(before.loaded.flatMap((it) => (it.catalog === undefined ? [] : [[it.path, it]])));
  const loaded = after.loaded.map((it): LoadedPackage => {
    const last = lastValid.get(it.path);
    if (it.catalog !== undefined || last === undefined) return it;
    const error = it.diagnostics.find((found) => found.severity === 'error');
    const place = error === undefined ? '' : ` (${error.file}:${error.range.line})`;
    const stale = `it is broken after an edit: ${error?.message ?? 'it cannot be read'}${place}; its last valid version is used`;
    return { ...last, diagnostics: it.diagnostics, stale };
  });
  return { ...after, loaded };
}

/** A sentence for each package that changed; empty if none did. */
export function differences(before: LoadResult, after: LoadResult): string[] {
  const old = new Map(before.loaded.map((it) => [it.path, it]));
  const now = new Set(after.loaded.map((it) => it.path));
  const changed = after.loaded.flatMap((it) => {
    const last = old.get(it.path);
    if (last === undefined) return [`${it.file} is new`];
    if (it.stale !== undefined) return it.stale === last.stale ? [] : [`${it.file}: ${it.stale}`];
    if (it.catalog?.digest === last.catalog?.digest && last.stale === undefined) return [];
    return [it.catalog === undefined ? `${it.file} cannot be read` : `${it.file} was reloaded`];
  });
  const gone = before.loaded.filter((it) => !now.has(it.path)).map((it) => `${it.file} was removed`);
  return [...changed, ...gone];
}

/** Digests of packages that are gone, or were replaced by another version. */
export function removedDigests(before: LoadResult, after: LoadResult): string[] {
  const digests = ({ loaded }: LoadResult) => loaded.flatMap((it) => it.catalog?.digest ?? []);
  const now = new Set(digests(after));
  return digests(before).filter((it) => !now.has(it));
}
