import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBelow, isWithin } from '../../files/path-containment.js';
import { HostError } from '../../model/host-error.js';
import type { FilesystemAccess } from '../../model/permissions.js';
import { shellQuote } from '../../model/shell-quote.js';
import { keyMaterial } from '../../policy/key-material.js';
import { canUse, firstImpassableFolder, type SandboxUser } from '../../sandbox/path-access.js';
import type { Mount } from '../../sandbox/sandbox.js';

/** The folders of the user that tools of a session may see: the workspace, and folders that the operator granted. */
export interface Workspace {
  readonly root: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** If set, folders outside these are rejected. */
  readonly allowedRoots?: readonly string[];
  /** Paths that stay read-only even inside a writable folder. */
  readonly readOnly?: readonly string[];
}

/** Paths that tools never see, even inside a mounted folder. */
export interface HiddenPaths {
  /** All paths of the user's home folder. */
  readonly homes: readonly string[];
  /** The host's own folders. */
  readonly hostFolders: readonly string[];
  /** Files and folders of all packages of the session. */
  readonly packages: readonly string[];
}

export interface WorkspaceMounts {
  readonly mounts: readonly Mount[];
  /** Paths inside the mounts that appear empty. */
  readonly hidden: readonly string[];
}

/** Folders of the system or of the sandbox itself: not mounted, although folders inside them can be. */
const systemFolders = new Set([
  '/',
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/etc',
  '/run',
  '/tmp',
  '/var',
  '/boot',
]);
/** Not mounted, including everything below. */
const systemTrees = /^\/(?:proc|sys|dev|toolwharf)(?:\/|$)/;

/**
 * The folders that one package sees, and the paths in them that it does not. `packagePaths`: the package's own files.
 */
export function mountWorkspace(
  access: FilesystemAccess,
  workspace: Workspace,
  neverShown: HiddenPaths,
  packagePaths: readonly string[],
  user: SandboxUser,
): WorkspaceMounts {
  if (access === 'none') return { mounts: [], hidden: [] };
  const readOnly = realPaths(workspace.readOnly ?? []);
  const canWrite = access === 'read-write';
  const requested = [
    { path: workspace.root, writable: canWrite },
    ...workspace.read.map((path) => ({ path, writable: false })),
    ...workspace.write.map((path) => ({ path, writable: canWrite })),
  ];
  const requestedMounts = requested.map(({ path, writable: requestedWritable }) => {
    const writable = requestedWritable && !isInOneOf(path, readOnly);
    const real = usablePath(path, writable, user);
    if (workspace.allowedRoots !== undefined && !isInOneOf(real, realPaths(workspace.allowedRoots)))
      throw outsideAllowedRoots(real, workspace.allowedRoots);
    if (writable && neverShown.homes.some((it) => isWithin(it, real))) throw homeNotWritable(real);
    return { source: real, target: real, writable };
  });
  // Read-only paths inside a writable mount become mounts of their own, on top of it.
  const inside = readOnly.filter((it) =>
    requestedMounts.some((mount) => mount.writable && isBelow(it, mount.target)),
  );
  const mounts = [...requestedMounts, ...inside.map((it) => ({ source: it, target: it, writable: false }))];
  const hidden = hiddenPathsIn(mounts, neverShown);
  for (const { target, writable } of mounts) assertMountable(target, writable, hidden, packagePaths);
  // The package's own files too: the tool sees them in its package folder.
  return { mounts, hidden: hidden.filter((it) => mounts.some(({ target }) => isBelow(it, target))) };
}

/** Throws for a folder that is hidden, or inside a hidden one. A package's own folder can be mounted read-only. */
function assertMountable(
  target: string,
  writable: boolean,
  hidden: readonly string[],
  packagePaths: readonly string[],
): void {
  const hiddenFolder = hidden.find((it) => isWithin(target, it));
  if (hiddenFolder === undefined || (!writable && packagePaths.some((it) => it === hiddenFolder))) return;
  throw new HostError(
    'workspace_unusable',
    `the workspace ${target} is in ${hiddenFolder}, which tools must not see`,
    {
      hint: 'keys, packages and the folders of the host are hidden from tools; choose another folder with --root',
    },
  );
}

function outsideAllowedRoots(path: string, allowedRoots: readonly string[]): HostError {
  return new HostError(
    'workspace_unusable',
    allowedRoots.length === 0
      ? `${path} is not allowed as a workspace: the list of allowed roots is empty`
      : `${path} is outside the allowed roots: ${allowedRoots.join(', ')}`,
    { hint: 'choose another folder with --root, or see "toolwharf config list --show-origin"' },
  );
}

/** With symbolic links resolved. Paths that do not exist are left out. */
function realPaths(paths: readonly string[]): string[] {
  return paths.filter((it) => existsSync(it)).map((it) => realpathSync.native(it));
}

function isInOneOf(path: string, folders: readonly string[]): boolean {
  const [real = path] = realPaths([path]);
  return folders.some((it) => isWithin(real, it));
}

/** A tool that can write to the home folder could add a key there, or a command that runs at the next login. */
function homeNotWritable(path: string): HostError {
  return new HostError(
    'workspace_unusable',
    `the workspace ${path} contains the home folder, which tools must not write to`,
    { hint: 'choose a project folder with --root' },
  );
}

function hiddenPathsIn(mounts: readonly Mount[], neverShown: HiddenPaths): string[] {
  const homes = [...new Set([...neverShown.homes, ...mounts.map((it) => it.target)])];
  const keys = homes.flatMap((home) => keyMaterial.map((it) => join(home, it)));
  const found = [...keys, ...neverShown.hostFolders, ...neverShown.packages].filter((it) => existsSync(it));
  // Also with symbolic links resolved, so that a link cannot bypass the hiding.
  return [...new Set(found.flatMap((it) => [it, realpathSync.native(it)]))].sort();
}

/** The real path of a folder; throws if tools cannot use it. */
function usablePath(path: string, writable: boolean, user: SandboxUser): string {
  const unusable = (why: string, hint: string, cause?: unknown) =>
    new HostError('workspace_unusable', `${path} cannot be mounted for tools: ${why}`, { hint, cause });
  const another = 'choose another folder with --root';
  let real: string;
  try {
    real = realpathSync.native(path);
    if (!statSync(real).isDirectory()) throw unusable('it is not a folder', another);
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw unusable('it does not exist or cannot be read', another, error);
  }
  if (systemFolders.has(real) || systemTrees.test(real)) throw unusable('it belongs to the system', another);
  const blocked = firstImpassableFolder(dirname(real), user);
  const userName = user.uid === process.getuid?.() ? 'this user' : `the sandbox user ${user.uid}`;
  if (blocked !== undefined) throw unusable(`${userName} cannot enter ${blocked}`, runAs(blocked, 'o+x'));
  if (!canUse(real, user, false)) throw unusable(`${userName} cannot read it`, runAs(real, 'o+rx'));
  if (writable && !canUse(real, user, true))
    throw unusable(`${userName} cannot write to it`, runAs(real, 'o+rwx'));
  return real;
}

function runAs(path: string, bits: string): string {
  return `run Toolwharf as the owner of the folder, or allow it: chmod ${bits} ${shellQuote(path)}`;
}
