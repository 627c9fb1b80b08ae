import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import type { Mount } from './sandbox.js';

/** Who looks: a folder it cannot enter is covered whole, because nothing can be mounted behind it. */
export interface Onlooker {
  readonly uid: number;
  readonly gid: number;
}

/** What is laid over the mounts of a process. */
export interface CoverPlan {
  /** Folders bound onto themselves, from the outside in. */
  readonly pins: readonly { readonly source: string; readonly path: string }[];
  /** What looks empty: a folder, or a file. */
  readonly covers: readonly { readonly path: string; readonly folder: boolean }[];
}

/**
 * Lays nothing over what must not be seen. A name is followed to what it stands for, and every
 * mount that shows that place gets its cover: a link beside it is no way around. Folders on the way to a cover
 * inside a writable mount become mount points, because a mount point cannot be renamed: otherwise a process
 * could move the folder away and find it uncovered at the next start.
 */
export function coverPlan(mounts: readonly Mount[], hidden: readonly string[], who: Onlooker): CoverPlan {
  if (hidden.length === 0 || mounts.length === 0) return { pins: [], covers: [] };
  const places = mounts.map((it) => ({ ...it, real: resolved(it.source) ?? it.source }));
  const pins = new Set<string>();
  const covers = new Map<string, boolean>();
  for (const name of hidden) {
    const path = posix.normalize(name).replace(/(?<=.)\/$/, '');
    // A mount below a hidden folder is hidden with it.
    for (const it of places) if (isWithin(it.target, path)) covers.set(it.target, isFolder(it.real));
    const shown = places.findLast((it) => isWithin(path, it.target));
    // What no mount shows under this name may still be the source of one, under another.
    const real = resolved(
      shown === undefined ? path : posix.join(shown.source, posix.relative(shown.target, path)),
    );
    if (real === null) continue;
    for (const it of places) {
      if (!isWithin(real, it.real)) continue;
      const cover = reachable(it.real, real, who);
      const inside = posix.join(it.target, posix.relative(it.real, cover));
      covers.set(inside, isFolder(cover));
      if (it.writable) for (const step of stepsBetween(it.target, inside)) pins.add(step);
    }
  }
  const outer = [...covers.keys()].filter((it) => !hasParentIn(it, covers));
  return {
    pins: [...pins]
      .sort()
      .filter((it) => !covers.has(it) && !hasParentIn(it, covers))
      .flatMap((it) => pin(it, places)),
    covers: outer.map((path) => ({ path, folder: covers.get(path) === true })),
  };
}

/** The same as arguments of bubblewrap. */
export function coverings(mounts: readonly Mount[], hidden: readonly string[], who: Onlooker): string[] {
  const { pins, covers } = coverPlan(mounts, hidden, who);
  return [
    ...pins.flatMap(({ source, path }) => ['--bind', source, path]),
    ...covers.flatMap(({ path, folder }) => (folder ? emptyFolder(path) : ['--ro-bind', '/dev/null', path])),
  ];
}

function emptyFolder(path: string): string[] {
  return ['--size', '4096', '--perms', '0555', '--tmpfs', path, '--remount-ro', path];
}

/** A folder bound onto itself. */
function pin(path: string, places: readonly (Mount & { readonly real: string })[]): CoverPlan['pins'] {
  const shown = places.findLast((it) => isWithin(path, it.target));
  if (shown?.writable !== true) return [];
  return [{ source: posix.join(shown.real, posix.relative(shown.target, path)), path }];
}

/** The place itself, or the first folder on the way to it that the onlooker cannot enter. */
function reachable(from: string, to: string, who: Onlooker): string {
  for (const step of stepsBetween(from, to)) if (!mayEnter(step, who)) return step;
  return to;
}

function mayEnter(folder: string, who: Onlooker): boolean {
  const found = look(folder);
  if (found === null) return false;
  if (found.uid === who.uid) return (found.mode & 0o100) !== 0;
  return (found.mode & (found.gid === who.gid ? 0o010 : 0o001)) !== 0;
}

/** Folders strictly between the two, from the outside in. */
function stepsBetween(outer: string, inner: string): string[] {
  const parts = posix.relative(outer, inner).split('/').slice(0, -1);
  return parts.map((_, index) => posix.join(outer, ...parts.slice(0, index + 1)));
}

function hasParentIn(path: string, covers: ReadonlyMap<string, boolean>): boolean {
  return [...covers].some(([it, folder]) => folder && it !== path && isWithin(path, it));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

function isFolder(path: string): boolean {
  return look(path)?.isDirectory() ?? false;
}

function look(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/** Null when there is nothing, or a link to nothing. */
function resolved(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
