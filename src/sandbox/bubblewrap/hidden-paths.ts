import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { isWithin } from '../../files/path-containment.js';
import type { SandboxUser } from '../path-access.js';
import type { Mount } from '../sandbox.js';

/** Mounts that hide paths inside the mounts of a process. */
export interface HiddenPathMounts {
  /** Folders bind-mounted onto themselves, outermost first. */
  readonly selfBinds: readonly { readonly source: string; readonly path: string }[];
  /** Folders that appear empty, and files that cannot be opened. */
  readonly masks: readonly { readonly path: string; readonly folder: boolean }[];
}

/**
 * Masks the hidden paths. Symbolic links are resolved, and every mount that contains the real path gets a mask, so a
 * second link does not bypass it. In a writable mount, the folders above a mask become mount points, because a mount
 * point cannot be renamed: otherwise a process could rename the folder and find its content unmasked at the next start.
 * A folder that the sandbox user cannot enter is masked as a whole, because nothing can be mounted below it.
 */
export function hiddenPathMounts(
  mounts: readonly Mount[],
  hidden: readonly string[],
  user: SandboxUser,
): HiddenPathMounts {
  if (hidden.length === 0 || mounts.length === 0) return { selfBinds: [], masks: [] };
  const resolvedMounts = mounts.map((it) => ({ ...it, real: resolved(it.source) ?? it.source }));
  const selfBinds = new Set<string>();
  const masks = new Map<string, boolean>();
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
      if (it.writable) for (const step of stepsBetween(it.target, inside)) selfBinds.add(step);
    }
  }
  const outer = [...masks.keys()].filter((it) => !hasParentIn(it, masks));
  return {
    selfBinds: [...selfBinds]
      .sort()
      .filter((it) => !masks.has(it) && !hasParentIn(it, masks))
      .flatMap((it) => selfBind(it, resolvedMounts)),
    masks: outer.map((path) => ({ path, folder: masks.get(path) === true })),
  };
}

/** The same mounts as arguments of bubblewrap. */
export function hiddenPathArguments(
  mounts: readonly Mount[],
  hidden: readonly string[],
  user: SandboxUser,
): string[] {
  const { selfBinds, masks } = hiddenPathMounts(mounts, hidden, user);
  return [
    ...selfBinds.flatMap(({ source, path }) => ['--bind', source, path]),
    ...masks.flatMap(({ path, folder }) => (folder ? emptyFolder(path) : ['--ro-bind', '/dev/null', path])),
  ];
}

function emptyFolder(path: string): string[] {
  return ['--size', '4096', '--perms', '0555', '--tmpfs', path, '--remount-ro', path];
}

function selfBind(
  path: string,
  resolvedMounts: readonly (Mount & { readonly real: string })[],
): HiddenPathMounts['selfBinds'] {
  const shown = resolvedMounts.findLast((it) => isWithin(path, it.target));
  if (shown?.writable !== true) return [];
  return [{ source: posix.join(shown.real, posix.relative(shown.target, path)), path }];
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
