import { type PathWatch, watchPaths } from '../bundle/watch.js';
import { HostError } from '../model/host-error.js';
import type { Loaded, LoadedFolder } from './catalog.js';
import type { SessionCatalog } from './session.js';

export interface ReloadOptions {
  /** Lists may be others now; told once for edits that come together, however many sessions see them. */
  readonly changed: () => void;
  /** A sentence for each package that is another now. */
  readonly onReload: (lines: readonly string[]) => void;
  readonly onBug: (error: unknown) => void;
}

interface Folder {
  readonly watch: PathWatch;
  readonly sessions: Set<SessionCatalog>;
}

/** Follows edits of the folders that sessions serve. One watch serves all sessions that named the same. */
export class Reloads {
  readonly #options: ReloadOptions;
  readonly #folders = new Map<string, Folder>();
  #under: Promise<void> = Promise.resolve();

  constructor(options: ReloadOptions) {
    this.#options = options;
  }

  /** Returns how to stop. */
  follow(session: SessionCatalog, paths: readonly string[], ignore: readonly string[]): () => void {
    if (paths.length === 0) return () => {};
    const key = JSON.stringify([[...paths].sort(), [...ignore].sort()]);
    const known = this.#folders.get(key) ?? this.#watch(key, paths, ignore);
    known.sessions.add(session);
    return () => {
      known.sessions.delete(session);
      if (known.sessions.size > 0) return;
      known.watch.close();
      this.#folders.delete(key);
    };
  }

  close(): Promise<void> {
    for (const { watch } of this.#folders.values()) watch.close();
    this.#folders.clear();
    return this.#under;
  }

  #watch(key: string, paths: readonly string[], ignore: readonly string[]): Folder {
    const sessions = new Set<SessionCatalog>();
    const watch = watchPaths({
      paths,
      ignore,
      onChange: () => this.#reload(sessions),
      onTrouble: (reason) =>
        this.#options.onReload([`edits are not followed: ${reason}; start the host anew to see them`]),
    });
    const made = { watch, sessions };
    this.#folders.set(key, made);
    return made;
  }

  /** One after the other: what comes meanwhile is looked at afterwards. */
  #reload(sessions: ReadonlySet<SessionCatalog>): void {
    const { changed, onReload, onBug } = this.#options;
    this.#under = this.#under
      .then(async () => {
        const lines = await Promise.all([...sessions].map((it) => it.reload()));
        const told = new Set(lines.flat());
        if (told.size === 0) return;
        changed();
        onReload([...told]);
      })
      .catch(onBug);
  }
}

/** Nothing is left where the path was. */
export function nothingFound(error: unknown): LoadedFolder {
  if (!(error instanceof HostError) || error.code !== 'not_found') throw error;
  return { loaded: [], problems: [], scanned: 0, nested: 0 };
}

/**
 * What is served after an edit. A package that the edit broke stays as it was, with what is wrong; what is served is its
 * staged copy, so the old files need not be there any more.
 */
export function keepGood(before: LoadedFolder, after: LoadedFolder): LoadedFolder {
  const good = new Map(before.loaded.flatMap((it) => (it.catalog === undefined ? [] : [[it.path, it]])));
  const loaded = after.loaded.map((it): Loaded => {
    const last = good.get(it.path);
    if (it.catalog !== undefined || last === undefined) return it;
    const error = it.diagnostics.find((found) => found.severity === 'error');
    const place = error === undefined ? '' : ` (${error.file}:${error.range.line})`;
    const stale = `it was edited and is broken: ${error?.message ?? 'it cannot be read'}${place}; the last good version is served`;
    return { ...last, diagnostics: it.diagnostics, stale };
  });
  return { ...after, loaded };
}

/** What is different, a sentence each; empty when nothing is. */
export function differences(before: LoadedFolder, after: LoadedFolder): string[] {
  const old = new Map(before.loaded.map((it) => [it.path, it]));
  const now = new Set(after.loaded.map((it) => it.path));
  const changed = after.loaded.flatMap((it) => {
    const last = old.get(it.path);
    if (last === undefined) return [`${it.file} is new`];
    if (it.stale !== undefined) return it.stale === last.stale ? [] : [`${it.file}: ${it.stale}`];
    if (it.catalog?.digest === last.catalog?.digest && last.stale === undefined) return [];
    return [it.catalog === undefined ? `${it.file} cannot be read` : `${it.file} was read again`];
  });
  const gone = before.loaded.filter((it) => !now.has(it.path)).map((it) => `${it.file} is gone`);
  return [...changed, ...gone];
}
