import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { isBelow, isWithin } from '../../files/path-containment.js';
import type { SandboxUser } from '../path-access.js';
import type { Mount } from '../sandbox.js';

/** All mounts of a process, in the order in which they are made. */
export interface MountLayers {
  /** Outer folders first, so that a mount is never covered by one of a folder above it. */
  readonly mounts: readonly Mount[];
  /** Folders that appear empty, and files that cannot be opened. They come last. */
  readonly masks: readonly { readonly path: string; readonly folder: boolean }[];
}

/** What is mounted, and what of it is hidden. */
export interface MountPlan {
  readonly mounts: readonly Mount[];
  readonly hidden: readonly string[];
  /**
   * Hidden paths whose folders are not fixed in their place: the next process finds them again by their names, or another
   * process could replace the folders by links, which a mount would follow.
   */
  readonly unanchored?: readonly string[] | undefined;
}

type ResolvedMount = Mount & { readonly real: string };

/**
 * Masks the hidden paths. Symbolic links are resolved, and every mount that contains the real path gets a mask, so a
 * second link does not bypass it. In a writable mount, the folders above a mask and above another mount become mount
 * points, because a mount point cannot be renamed: otherwise a process could rename the folder, and the next process
 * would find its content unmasked, or writable. A folder that the sandbox user cannot enter is masked as a whole, because
 * nothing can be mounted below it.
 */
export function mountLayers({ mounts, hidden, unanchored = [] }: MountPlan, user: SandboxUser): MountLayers {
  const resolvedMounts = inOrder(mounts).map((it) => ({ ...it, real: resolved(it.source) ?? it.source }));
  const fixedFolders = new Set<string>();
  const masks = new Map<string, boolean>();
  for (const { target } of resolvedMounts) {
    for (const outer of resolvedMounts)
      if (outer.writable && isBelow(target, outer.target))
        for (const step of stepsBetween(outer.target, target)) fixedFolders.add(step);
  }
  for (const name of hidden) {
    const path = posix.normalize(name).replace(/(?<=.)\/$/, '');
    // A mount below a hidden folder is hidden with it.
    for (const it of resolvedMounts) if (isWithin(it.target, path)) masks.set(it.target, isFolder(it.real));
    const shown = resolvedMounts.findLast((it) => isWithin(path, it.target));
    // A path outside the mounts may still be the source of one of them, under another name.
    const real = resolved(
      shown === undefined ? path : posix.join(shown.source, posix.relative(shown.target, path)),
    );
    if (real === null) continue;
    for (const it of resolvedMounts) {
      if (!isWithin(real, it.real)) continue;
      const maskedPath = deepestMountable(it.real, real, user);
      const inside = posix.join(it.target, posix.relative(it.real, maskedPath));
      masks.set(inside, isFolder(maskedPath));
      if (it.writable && !unanchored.includes(name))
        for (const step of stepsBetween(it.target, inside)) fixedFolders.add(step);
    }
  }
  const outer = [...masks.keys()].filter((it) => !hasParentIn(it, masks));
  const binds = [...fixedFolders]
    .filter((it) => !masks.has(it) && !hasParentIn(it, masks))
    .flatMap((it) => bindOntoItself(it, resolvedMounts));
  const visible = resolvedMounts
    .filter((it) => !hasParentIn(it.target, masks))
    .map(({ source, target, writable }) => ({ source, target, writable }));
  return {
    mounts: inOrder([...visible, ...binds]),
    masks: outer.map((path) => ({ path, folder: masks.get(path) === true })),
  };
}

/** The same mounts as arguments of bubblewrap. */
export function mountArguments(plan: MountPlan, user: SandboxUser): string[] {
  const { mounts, masks } = mountLayers(plan, user);
  return [
    ...mounts.flatMap((it) => [it.writable ? '--bind' : '--ro-bind', it.source, it.target]),
    ...masks.flatMap(({ path, folder }) => (folder ? emptyFolder(path) : ['--ro-bind', '/dev/null', path])),
  ];
}

/** Outer folders first. Of several mounts at the same path, the last one counts. */
function inOrder(mounts: readonly Mount[]): Mount[] {
  const byTarget = new Map<string, Mount>();
  for (const it of mounts) byTarget.set(posix.normalize(it.target), it);
  return [...byTarget].sort(([a], [b]) => a.split('/').length - b.split('/').length).map(([, it]) => it);
}

function emptyFolder(path: string): string[] {
  return ['--size', '4096', '--perms', '0555', '--tmpfs', path, '--remount-ro', path];
}

/** A mount that only makes the folder a mount point; none if it is one already, or is read-only. */
function bindOntoItself(path: string, mounts: readonly ResolvedMount[]): Mount[] {
  const shown = mounts.findLast((it) => isWithin(path, it.target));
  if (shown?.writable !== true || shown.target === path) return [];
  return [
    { source: posix.join(shown.real, posix.relative(shown.target, path)), target: path, writable: true },
  ];
}

/** The path `to`, or the first folder above it that the user cannot enter. */
function deepestMountable(from: string, to: string, user: SandboxUser): string {
  for (const step of stepsBetween(from, to)) if (!mayEnter(step, user)) return step;
  return to;
}

function mayEnter(folder: string, user: SandboxUser): boolean {
  const found = statOf(folder);
  if (found === null) return false;
  if (found.uid === user.uid) return (found.mode & 0o100) !== 0;
  return (found.mode & (found.gid === user.gid ? 0o010 : 0o001)) !== 0;
}

/** Folders strictly between the two, outermost first. */
function stepsBetween(outer: string, inner: string): string[] {
  const parts = posix.relative(outer, inner).split('/').slice(0, -1);
  return parts.map((_, index) => posix.join(outer, ...parts.slice(0, index + 1)));
}

function hasParentIn(path: string, masks: ReadonlyMap<string, boolean>): boolean {
  return [...masks].some(([it, folder]) => folder && it !== path && isWithin(path, it));
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() ?? false;
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/** Null if the path does not exist or is a dangling link. */
function resolved(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
