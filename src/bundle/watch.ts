import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ignoredFolders } from './folder.js';

/** What to watch and whom to notify. */
export interface WatchOptions {
  /** Absolute paths of files and folders. */
  readonly paths: readonly string[];
  /** Names of folders that are not watched, in addition to `ignoredFolders`. */
  readonly ignore?: readonly string[] | undefined;
  /** Called after files may have changed; once for several edits in quick succession. */
  readonly onChange: () => void;
  /** Called once, with the reason, when changes can no longer be detected. */
  readonly onFailure: (reason: string) => void;
  /** `onChange` is called after this time without edits. Default: 150 ms. */
  readonly quietMs?: number;
  /** `onChange` is called after this time even if edits continue. Default: 1 s. */
  readonly maxDelayMs?: number;
}

/** A running watch. */
export interface PathWatcher {
  close(): void;
}

/** The system limits how many folders one user can watch. */
const maxFolders = 4096;
const maxDepth = 16;

/**
 * Detects edits below the paths, however editors write files: in place, by renaming, by moving whole folders. Each folder
 * has its own watcher, and the set of folders is updated after each change, because a recursive watch of the system
 * misses renamed folders.
 */
export function watchPaths(options: WatchOptions): PathWatcher {
  const { paths, ignore = [], onChange, onFailure, quietMs = 150, maxDelayMs = 1000 } = options;
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let firstEditAt = 0;
  let closed = false;
  let failed = false;

  const fail = (reason: string) => {
    if (failed || closed) return;
    failed = true;
    onFailure(reason);
  };
  const scheduleChange = () => {
    if (closed) return;
    const now = performance.now();
    if (timer === undefined) firstEditAt = now;
    clearTimeout(timer);
    const delay = Math.max(0, Math.min(quietMs, firstEditAt + maxDelayMs - now));
    timer = setTimeout(() => {
      timer = undefined;
      // Watch new folders before notifying, so that edits in between trigger another change.
      updateWatchers();
      onChange();
    }, delay);
    timer.unref();
  };
  const open = (folder: string, names: ReadonlySet<string> | null) => {
    const key = [identity(folder), folder, ...(names ?? [])].join('\0');
    if (watchers.has(key)) return key;
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (names === null || name === null || names.has(name)) scheduleChange();
      });
      watcher.on('error', () => {
        // The folder was removed; the watcher of its parent reports that.
        watcher.close();
        watchers.delete(key);
      });
      watchers.set(key, watcher);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') fail(`cannot watch a folder (${code})`);
    }
    return key;
  };
  const updateWatchers = () => {
    const folders = new Set<string>();
    const parents = new Map<string, Set<string>>();
    for (const path of paths) {
      const inside = parents.get(dirname(path)) ?? new Set();
      parents.set(dirname(path), inside.add(basename(path)));
      if (isFolder(path)) collect(path, ignore, folders);
    }
    if (folders.size > maxFolders) {
      fail(`more than ${maxFolders.toLocaleString('en')} folders`);
      return;
    }
    const needed = new Set([
      ...[...folders].map((it) => open(it, null)),
      ...[...parents].map(([folder, names]) => open(folder, names)),
    ]);
    for (const [key, watcher] of watchers) {
      if (needed.has(key)) continue;
      watcher.close();
      watchers.delete(key);
    }
  };
  updateWatchers();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Distinguishes a folder from one that was removed and created again under the same name. */
function identity(folder: string): string {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}

function collect(path: string, ignore: readonly string[], into: Set<string>, depth = 0): void {
  if (into.size > maxFolders || depth > maxDepth) return;
  let entries: ReturnType<typeof namesIn>;
  try {
    const real = realpathSync.native(path);
    if (into.has(real)) return;
    into.add(real);
    entries = namesIn(real);
  } catch {
    return;
  }
  for (const entry of entries) {
    if (ignoredFolders.has(entry.name) || ignore.includes(entry.name)) continue;
    const inner = join(path, entry.name);
    if (entry.isDirectory() || (entry.isSymbolicLink() && isFolder(inner)))
      collect(inner, ignore, into, depth + 1);
  }
}

function namesIn(path: string) {
  return readdirSync(path, { withFileTypes: true });
}
