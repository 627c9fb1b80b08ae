import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ignoredFolders } from './folder.js';

export interface WatchOptions {
  /** Absolute paths of files and folders. */
  readonly paths: readonly string[];
  /** Names of folders that are not looked into, besides the usual ones. */
  readonly ignore?: readonly string[] | undefined;
  /** Something below the paths may be another now. Called once for edits that come together. */
  readonly onChange: () => void;
  /** Changes are not noticed any more, and why; told once. */
  readonly onTrouble: (reason: string) => void;
  /** Quiet time after the last edit, and how long edits that never end are waited for. */
  readonly quietMs?: number;
  readonly patienceMs?: number;
}

export interface PathWatch {
  close(): void;
}

/** Each watched folder takes a descriptor of the system's. */
const maxFolders = 4096;
const maxDepth = 16;

/**
 * Notices edits of files below the paths, in whatever way editors write them: in place, by renaming over, by moving whole
 * folders in and out. Every folder is watched by itself and looked up again after each change, since the system's own way of
 * watching a tree loses sight of what is renamed.
 */
export function watchPaths(options: WatchOptions): PathWatch {
  const { paths, ignore = [], onChange, onTrouble, quietMs = 150, patienceMs = 1000 } = options;
  const watchers = new Map<string, FSWatcher>();
  let quiet: NodeJS.Timeout | undefined;
  let since = 0;
  let closed = false;
  let troubled = false;

  const trouble = (reason: string) => {
    if (troubled || closed) return;
    troubled = true;
    onTrouble(reason);
  };
  const noticed = () => {
    if (closed) return;
    const now = performance.now();
    if (quiet === undefined) since = now;
    clearTimeout(quiet);
    const left = Math.max(0, Math.min(quietMs, since + patienceMs - now));
    quiet = setTimeout(() => {
      quiet = undefined;
      // First watch what is new, then look: whatever is written in between is noticed again.
      settle();
      onChange();
    }, left);
    quiet.unref();
  };
  const open = (folder: string, only: ReadonlySet<string> | null) => {
    const key = [identity(folder), folder, ...(only ?? [])].join('\0');
    if (watchers.has(key)) return key;
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (only === null || name === null || only.has(name)) noticed();
      });
      watcher.on('error', () => {
        // The folder is gone; its parent tells of that.
        watcher.close();
        watchers.delete(key);
      });
      watchers.set(key, watcher);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') trouble(`a folder cannot be watched (${code})`);
    }
    return key;
  };
  const settle = () => {
    const folders = new Set<string>();
    const parents = new Map<string, Set<string>>();
    for (const path of paths) {
      const inside = parents.get(dirname(path)) ?? new Set();
      parents.set(dirname(path), inside.add(basename(path)));
      if (isFolder(path)) collect(path, ignore, folders);
    }
    if (folders.size > maxFolders) {
      trouble(`there are more than ${maxFolders.toLocaleString('en')} folders`);
      return;
    }
    const wanted = new Set([
      ...[...folders].map((it) => open(it, null)),
      ...[...parents].map(([folder, names]) => open(folder, names)),
    ]);
    for (const [key, watcher] of watchers) {
      if (wanted.has(key)) continue;
      watcher.close();
      watchers.delete(key);
    }
  };
  settle();
  return {
    close() {
      closed = true;
      clearTimeout(quiet);
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

/** A folder that was removed and made again is another one: names alone do not tell them apart. */
function identity(folder: string): string {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
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
