import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isBelow, isWithin } from '../../files/path-containment.js';
import { HostError } from '../../model/host-error.js';
import type { FilesystemAccess, FolderAccess } from '../../model/permissions.js';
import { shellQuote } from '../../model/shell-quote.js';
import { steeringPlaceAbove } from '../../policy/steering-places.js';
import { canUse, firstImpassableFolder, type SandboxUser } from '../../sandbox/path-access.js';
import type { Mount } from '../../sandbox/sandbox.js';

/** The folders of the user that tools of a session may see: the workspace, and folders that the operator granted. */
export interface Workspace {
  readonly root: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Folders that the package asks for by their path, whatever its access to the workspace is. Default: none. */
  readonly own?: readonly FolderAccess[];
  /** If set, folders outside these are rejected. */
  readonly allowedRoots?: readonly string[];
  /** Paths that stay read-only even inside a writable folder. */
  readonly readOnly?: readonly string[];
}

/** Paths that decide whether a folder may be writable. */
export interface FixedPaths {
  /** All paths of the user's home folder. */
  readonly homes: readonly string[];
  /** Configuration files and folders of the host, whether they exist or not. */
  readonly configuration: readonly string[];
}

export interface RequestedMounts {
  readonly folders: readonly Mount[];
  /** Files and folders inside these folders that grants name: key material that is named here is not hidden. */
  readonly opened: readonly Mount[];
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

/** The folders to mount, and single files and folders that a grant opens by name although they are key material. */
export function requestedMounts(
  access: FilesystemAccess,
  workspace: Workspace,
  fixed: FixedPaths,
  user: SandboxUser,
): RequestedMounts {
  const readOnly = realPaths(workspace.readOnly ?? []);
  const canWrite = access === 'read-write';
  const folders: Mount[] = [];
  const opened: Mount[] = [];
  // A grant opens the path that it names. A tool could make a link there, which would open another path.
  const asked: { readonly path: string; readonly real: string }[] = [];
  const granted = [
    ...workspace.read.map((path) => ({ path, writable: false })),
    ...workspace.write.map((path) => ({ path, writable: canWrite })),
  ];
  const root = { path: workspace.root, writable: canWrite };
  const wantedMounts = [...(access === 'none' ? [] : [root, ...granted]), ...(workspace.own ?? [])];
  for (const wanted of wantedMounts) {
    const { path } = wanted;
    const writable = wanted.writable && !isInOneOf(path, readOnly);
    const isGrant = wanted !== root;
    // The manifest names these, so they open no keys and no places that decide what other programs do.
    const isOwn = workspace.own?.includes(wanted) === true;
    const real = isGrant && isFile(path) ? realpathSync.native(path) : usablePath(path, writable, user);
    if (workspace.allowedRoots !== undefined && !isInOneOf(real, realPaths(workspace.allowedRoots)))
      throw outsideAllowedRoots(real, workspace.allowedRoots);
    const mount = { source: real, target: real, writable };
    const isInside = asked.some(
      (it) => isBelow(path, it.path) && real === join(it.real, relative(it.path, path)),
    );
    if (isInside && !isOwn) opened.push(mount);
    if (isGrant && isFile(real)) {
      if (!isInside) throw fileOutside(path);
      continue;
    }
    if (writable) assertNotSteering(real, fixed, isGrant && !isOwn);
    folders.push(mount);
    asked.push({ path, real });
  }
  return { folders, opened };
}

/** Throws if a tool that can write to the folder could change what other programs do, and nothing can prevent it. */
function assertNotSteering(real: string, { homes, configuration }: FixedPaths, isGrant: boolean): void {
  if (homes.some((it) => isWithin(it, real))) throw homeNotWritable(real);
  const missing = configuration.find((it) => isBelow(it, real) && !existsSync(it));
  if (missing !== undefined)
    throw new HostError(
      'workspace_unusable',
      `the workspace ${real} contains ${missing}, where the configuration of Toolwharf would be`,
      { hint: 'a tool could create it and grant itself more; choose another folder with --root' },
    );
  // A grant that names the folder itself is the operator's decision.
  const place = isGrant ? undefined : steeringPlaceAbove(real);
  if (place !== undefined)
    throw new HostError(
      'workspace_unusable',
      `the workspace ${real} is in ${place}, which decides what other programs do`,
      { hint: `choose another folder with --root, or grant it by name: --allow write:${shellQuote(real)}` },
    );
}

/** A tool that can write to the home folder could add a key there, or a command that runs at the next login. */
function homeNotWritable(path: string): HostError {
  return new HostError(
    'workspace_unusable',
    `the workspace ${path} contains the home folder, which tools must not write to`,
    { hint: 'choose a project folder with --root' },
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

function fileOutside(path: string): HostError {
  return new HostError(
    'workspace_unusable',
    `${path} cannot be mounted for tools: it is a file outside the workspace, or behind a link`,
    { hint: 'grant the folder that contains it' },
  );
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** With symbolic links resolved. Paths that do not exist are left out. */
export function realPaths(paths: readonly string[]): string[] {
  return paths.filter((it) => existsSync(it)).map((it) => realpathSync.native(it));
}

function isInOneOf(path: string, folders: readonly string[]): boolean {
  const [real = path] = realPaths([path]);
  return folders.some((it) => isWithin(real, it));
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
