import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { FilesystemAccess } from '../model/permissions.js';
import { shellWord } from '../model/shell-word.js';
import { keyMaterial } from '../policy/key-material.js';
import { canUse, obstacle, type User } from '../sandbox/access.js';
import type { Mount } from '../sandbox/sandbox.js';

/** What a session may lend: the workspace, and folders that an operator granted besides. */
export interface Workspace {
  readonly root: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Nothing outside these is lent; anything may be where there are none. */
  readonly within?: readonly string[];
  /** For reading only, wherever they lie. */
  readonly unwritable?: readonly string[];
}

/** What is never shown, wherever it lies. */
export interface HiddenPaths {
  /** The home folder of whoever runs the host, in every spelling. */
  readonly homes: readonly string[];
  /** The host's own folders. */
  readonly own: readonly string[];
  /** Files and folders of all packages of the session. */
  readonly packages: readonly string[];
}

export interface WorkspaceMounts {
  readonly mounts: readonly Mount[];
  readonly hidden: readonly string[];
}

/** These are the machine's, or the sandbox's own: they cannot be lent as they are. */
const notLent = new Set([
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
const neverLent = /^\/(?:proc|sys|dev|toolwharf)(?:\/|$)/;

/** The folders that one package sees, and what of them looks empty to it. `own` are its own files. */
export function mountWorkspace(
  access: FilesystemAccess,
  workspace: Workspace,
  secret: HiddenPaths,
  own: readonly string[],
  user: User,
): WorkspaceMounts {
  if (access === 'none') return { mounts: [], hidden: [] };
  const fixed = realPaths(workspace.unwritable ?? []);
  const canWrite = access === 'read-write';
  const wanted = [
    { path: workspace.root, writable: canWrite },
    ...workspace.read.map((path) => ({ path, writable: false })),
    ...workspace.write.map((path) => ({ path, writable: canWrite })),
  ];
  const lentAs = wanted.map(({ path, writable: asked }) => {
    const writable = asked && !isWithin(path, fixed);
    const real = usable(path, writable, user);
    if (workspace.within !== undefined && !isWithin(real, realPaths(workspace.within)))
      throw outside(real, workspace.within);
    if (writable && secret.homes.some((it) => real === it || isBelow(it, real))) throw wholeHome(real);
    return { source: real, target: real, writable };
  });
  // What is for reading only is put over the folder around it.
  const inside = fixed.filter((it) => lentAs.some((mount) => mount.writable && isBelow(it, mount.target)));
  const mounts = [...lentAs, ...inside.map((it) => ({ source: it, target: it, writable: false }))];
  const hidden = hiddenPaths(mounts, secret);
  for (const { target, writable } of mounts) assertLendable(target, writable, hidden, own);
  // Its own files are where they always are; in the workspace they are hidden like all the others.
  return { mounts, hidden: hidden.filter((it) => mounts.some(({ target }) => isBelow(it, target))) };
}

/** A folder that is private, or lies in one, cannot be lent; a package's own folder can, for reading. */
function assertLendable(
  target: string,
  writable: boolean,
  hidden: readonly string[],
  own: readonly string[],
): void {
  const around = hidden.find((it) => target === it || isBelow(target, it));
  if (around === undefined || (!writable && own.some((it) => it === around))) return;
  throw new HostError(
    'workspace_unusable',
    `the workspace ${target} lies in ${around}, which is never lent`,
    {
      hint: 'key material, packages and the folders of the host stay private; name another folder with --root',
    },
  );
}

function outside(path: string, within: readonly string[]): HostError {
  return new HostError(
    'workspace_unusable',
    `${path} is not in ${within.join(' or ') || 'any folder'}, the roots that are configured`,
    { hint: 'name another folder with --root, or see "toolwharf config list --show-origin"' },
  );
}

/** With links followed, as they are now. What is not there leads nowhere. */
function realPaths(paths: readonly string[]): string[] {
  return paths.filter((it) => existsSync(it)).map((it) => realpathSync.native(it));
}

function isWithin(path: string, folders: readonly string[]): boolean {
  const [real = path] = realPaths([path]);
  return folders.some((it) => real === it || isBelow(real, it));
}

/** Who may write there may leave a key, or a command that runs at the next sign-in. */
function wholeHome(path: string): HostError {
  return new HostError(
    'workspace_unusable',
    `the workspace ${path} holds the home folder, which is not lent for writing`,
    { hint: 'name the folder of a project with --root' },
  );
}

function hiddenPaths(mounts: readonly Mount[], secret: HiddenPaths): string[] {
  const homes = [...new Set([...secret.homes, ...mounts.map((it) => it.target)])];
  const keys = homes.flatMap((home) => keyMaterial.map((it) => join(home, it)));
  const found = [...keys, ...secret.own, ...secret.packages].filter((it) => existsSync(it));
  // A link inside a workspace must not lead around it.
  return [...new Set(found.flatMap((it) => [it, realpathSync.native(it)]))].sort();
}

function usable(path: string, writable: boolean, user: User): string {
  const refuse = (why: string, hint: string, cause?: unknown) =>
    new HostError('workspace_unusable', `${path} cannot be lent to tools: ${why}`, { hint, cause });
  const another = 'name another folder with --root';
  let real: string;
  try {
    real = realpathSync.native(path);
    if (!statSync(real).isDirectory()) throw refuse('it is not a folder', another);
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw refuse('it is not there, or cannot be read', another, error);
  }
  if (notLent.has(real) || neverLent.test(real)) throw refuse('it belongs to the system', another);
  const blocked = obstacle(dirname(real), user);
  const other = user.uid === process.getuid?.() ? 'this user' : `the user ${user.uid} of confined processes`;
  if (blocked !== undefined) throw refuse(`${other} cannot enter ${blocked}`, runAs(blocked, 'o+x'));
  if (!canUse(real, user, false)) throw refuse(`${other} cannot read it`, runAs(real, 'o+rx'));
  if (writable && !canUse(real, user, true))
    throw refuse(`${other} cannot write to it`, runAs(real, 'o+rwx'));
  return real;
}

function runAs(path: string, bits: string): string {
  return `run Toolwharf as the owner of the folder, or allow it: chmod ${bits} ${shellWord(path)}`;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
