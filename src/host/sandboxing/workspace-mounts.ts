import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isBelow, isWithin } from '../../files/path-containment.js';
import { realPathOf } from '../../files/real-path.js';
import { HostError } from '../../model/host-error.js';
import type { FilesystemAccess } from '../../model/permissions.js';
import { shellQuote } from '../../model/shell-quote.js';
import { keyMaterial, keyMaterialKind } from '../../policy/key-material.js';
import type { MountGuard } from '../../run/mount-guard.js';
import type { SandboxUser } from '../../sandbox/path-access.js';
import type { Mount } from '../../sandbox/sandbox.js';
import type { KnownPaths } from './known-paths.js';
import { type FixedPaths, realPaths, requestedMounts, type Workspace } from './requested-mounts.js';
import type { FolderCheck } from './watched-folder.js';
import type { WorkspaceGuard } from './workspace-guard.js';

/** What tools never see or change, even inside a mounted folder. */
export interface ProtectedPaths extends FixedPaths {
  /** The host's own folders. */
  readonly hostFolders: readonly string[];
  /** Files and folders of all packages of the session, and what the operator denies to read. */
  readonly packages: readonly string[];
  /** What the state knows besides the packages of this session. */
  readonly known: () => Promise<KnownPaths>;
}

export interface WorkspaceMounts {
  readonly mounts: readonly Mount[];
  /** Paths inside the mounts that appear empty. */
  readonly hidden: readonly string[];
  /** Hidden paths whose folders another process could replace by links now. Nothing is mounted from these folders. */
  readonly unanchored: readonly string[];
  /** Undefined without mounts. */
  readonly guard: MountGuard | undefined;
}

/** Who mounts a workspace. */
export interface MountingPackage {
  readonly id: string;
  /** The package's own files. */
  readonly paths: readonly string[];
}

/** The folders that one package sees, and the paths in them that it does not. */
export async function mountWorkspace(
  access: FilesystemAccess,
  workspace: Workspace,
  protectedPaths: ProtectedPaths,
  owner: MountingPackage,
  user: SandboxUser,
  guard: WorkspaceGuard,
): Promise<WorkspaceMounts> {
  if (mountsNothing(access, workspace)) return { mounts: [], hidden: [], unanchored: [], guard: undefined };
  const { folders, opened } = requestedMounts(access, workspace, protectedPaths, user);
  const known = await protectedPaths.known();
  const hidden = hiddenPathsIn(folders, protectedPaths, known, opened);
  for (const { target, writable } of [...folders, ...opened])
    assertMountable(target, writable, hidden, known, owner.paths);
  const checks = new Map<string, FolderCheck>();
  for (const { source } of folders) if (!checks.has(source)) checks.set(source, await guard.check(source));
  assertNothingStuck(folders, checks);
  const keys = [...checks.values()].flatMap((it) => it.keys).filter((it) => !isOpened(it, opened));
  const allHidden = [...new Set([...hidden, ...withRealPaths(keys)])].sort();
  const covers = coversOf(folders, workspace, protectedPaths, known, checks).filter(
    (it) => !allHidden.some((path) => isWithin(it, path)),
  );
  const inside = (path: string) => folders.some(({ target }) => isBelow(path, target));
  const unanchored = unanchoredPaths(folders, [...allHidden, ...covers].filter(inside), guard);
  // The next process finds these by their names, wherever a process moved their folders.
  const byName = keys.filter((it) => keyMaterialKind('', basename(it)) !== 'no');
  const mounts = [
    ...folders,
    ...opened.filter((it) => inside(it.target)),
    // A path that another process could replace by a link is hidden instead: a mount would follow the link.
    ...covers.filter((it) => !unanchored.has(it)).map((it) => ({ source: it, target: it, writable: false })),
  ];
  return {
    mounts,
    // The package's own files too: the tool sees them in its package folder.
    hidden: [...allHidden, ...covers.filter((it) => unanchored.has(it))].filter(inside),
    unanchored: [...new Set([...unanchored, ...byName])].sort(),
    guard: guard.guardFor(folders, owner.id),
  };
}

function mountsNothing(access: FilesystemAccess, { own = [] }: Workspace): boolean {
  return access === 'none' && own.length === 0;
}

/** Throws the reason why a workspace cannot be mounted. Cheaper than to mount it: an earlier scan is enough. */
export async function assertWorkspaceUsable(
  access: FilesystemAccess,
  workspace: Workspace,
  protectedPaths: ProtectedPaths,
  owner: MountingPackage,
  user: SandboxUser,
  guard: WorkspaceGuard,
): Promise<void> {
  if (mountsNothing(access, workspace)) return;
  const { folders, opened } = requestedMounts(access, workspace, protectedPaths, user);
  const known = await protectedPaths.known();
  const hidden = hiddenPathsIn(folders, protectedPaths, known, opened);
  for (const { target, writable } of [...folders, ...opened])
    assertMountable(target, writable, hidden, known, owner.paths);
  for (const { source } of folders) await guard.checkOnce(source);
}

/** Paths that stay read-only inside writable mounts. */
function coversOf(
  folders: readonly Mount[],
  { readOnly = [], write, own = [] }: Workspace,
  { configuration }: ProtectedPaths,
  { links }: KnownPaths,
  checks: ReadonlyMap<string, FolderCheck>,
): string[] {
  const writable = folders.filter((it) => it.writable);
  const granted = realPaths([...write, ...own.filter((it) => it.writable).map((it) => it.path)]);
  const places = writable.flatMap(({ source }) => checks.get(source)?.places ?? []);
  const steering = [
    ...places.flatMap(({ path, kind }) => (kind === 'link' ? (realPathOf(path) ?? []) : path)),
    ...realPaths(configuration),
    ...realPaths(links),
  ].filter((it) => !granted.includes(it));
  return [...new Set([...realPaths(readOnly), ...steering])].filter((it) =>
    writable.some(({ target }) => isBelow(it, target)),
  );
}

function unanchoredPaths(
  folders: readonly Mount[],
  paths: readonly string[],
  guard: WorkspaceGuard,
): ReadonlySet<string> {
  const found = folders.flatMap(({ source }) => [
    ...guard.protect(
      source,
      paths.filter((it) => isBelow(it, source)),
    ),
  ]);
  return new Set(found);
}

function assertNothingStuck(folders: readonly Mount[], checks: ReadonlyMap<string, FolderCheck>): void {
  const stuck = folders.flatMap((it) => (it.writable ? (checks.get(it.source)?.stuck ?? []) : []));
  const [first] = stuck;
  if (first === undefined) return;
  throw new HostError(
    'workspace_unusable',
    `${first} appeared while a tool could write there, decides what other programs do, and cannot be moved aside`,
    { hint: `look at it, then delete it: ${shellQuote(first)}` },
  );
}

/**
 * Throws for a folder that is hidden, or inside a hidden one. The folder of a package itself, or of one that the state
 * knows from another session, can be mounted read-only.
 */
function assertMountable(
  target: string,
  writable: boolean,
  hidden: readonly string[],
  { packages }: KnownPaths,
  ownPaths: readonly string[],
): void {
  const readable = writable ? [] : [...ownPaths, ...packages];
  const hiddenFolder = hidden.find((it) => isWithin(target, it) && !readable.includes(it));
  if (hiddenFolder === undefined) return;
  throw new HostError(
    'workspace_unusable',
    `the workspace ${target} is in ${hiddenFolder}, which tools must not see`,
    {
      hint: 'keys, packages and the folders of the host are hidden from tools; choose another folder with --root',
    },
  );
}

/** Hidden paths that are known without a search. */
function hiddenPathsIn(
  mounts: readonly Mount[],
  { homes, hostFolders, packages }: ProtectedPaths,
  known: KnownPaths,
  opened: readonly Mount[],
): string[] {
  const bases = [...new Set([...homes, ...mounts.map((it) => it.target)])];
  const keys = bases.flatMap((base) => keyMaterial.map((it) => join(base, it)));
  return withRealPaths([
    ...keys.filter((it) => !isOpened(it, opened)),
    ...hostFolders,
    ...packages,
    ...known.packages,
  ]).sort();
}

/** Also with symbolic links resolved, so that a link cannot bypass the hiding. Paths that do not exist are left out. */
function withRealPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((it) => existsSync(it)).flatMap((it) => [it, realpathSync.native(it)]))];
}

/**
 * Whether a grant names exactly this path, or a folder of key material that contains it. A grant of any other folder
 * above it opens nothing.
 */
function isOpened(path: string, opened: readonly Mount[]): boolean {
  return opened.some(({ target }) => {
    if (target === path || target === realPathOf(path)) return true;
    return isWithin(path, target) && keyMaterialKind(dirname(target), basename(target)) === 'always';
  });
}
