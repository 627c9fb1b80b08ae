// Paths of this machine, and the same paths as a lock file has them: below the root of the project.
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isWithin } from '../../files/path-containment.js';
import { realPathOf } from '../../files/real-path.js';
import { HostError } from '../../model/host-error.js';
import type { LockedSource } from '../../model/source.js';

/** A source with a path below the root. Throws `usage` if it is elsewhere on this machine. */
export function projectSource(locked: LockedSource, root: string): LockedSource {
  if (!isLocal(locked)) return locked;
  const path = projectPath(locked.path, root);
  if (path !== undefined) return { ...locked, path };
  throw new HostError('usage', `${locked.path} cannot be in a lock file: it is not inside ${root}`, {
    hint: 'move it into the project, or install it from git, an archive at a URL, or a registry',
  });
}

/** The source on this machine. Throws `integrity` if a link leads out of the project. */
export function machineSource(locked: LockedSource, root: string): LockedSource {
  if (!isLocal(locked)) return locked;
  const path = join(root, locked.path);
  const [real, realRoot] = [realPathOf(path), realPathOf(root)];
  if (real !== undefined && realRoot !== undefined && !isWithin(real, realRoot))
    throw new HostError('integrity', `${path} is a link that leads out of ${root}, to ${real}`);
  return { ...locked, path };
}

/** Grants with paths below the root. Throws `usage` if one names another folder of this machine. */
export function projectGrants(grants: readonly string[], root: string): readonly string[] {
  return grants
    .map((text) => {
      const [, verb, path] = /^(read|write):(.*)$/s.exec(text) ?? [];
      if (verb === undefined || path === undefined) return text;
      const below = resolve(root, path) === resolve(root) ? '.' : projectPath(resolve(root, path), root);
      if (below !== undefined) return `${verb}:${below}`;
      throw new HostError('usage', `the grant ${text} cannot be in a lock file: it is not inside ${root}`, {
        hint: `grant it on this machine only: toolwharf config set allow, with PACKAGE=${text}`,
      });
    })
    .sort();
}

/** Throws `integrity` if a grant of a lock file leads out of the project, also by a link. */
export function assertProjectGrants(grants: readonly string[], root: string): void {
  for (const it of grants) {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]*=/.test(it))
      throw new HostError('integrity', `the lock file grants ${it}, which is not a grant of its package`);
    const path = /^(?:read|write):(.*)$/s.exec(it)?.[1];
    if (path === undefined) continue;
    const isInside = !isAbsolute(path) && isWithin(resolve(root, path), root);
    const real = realPathOf(resolve(root, path));
    if (!isInside || (real !== undefined && !isWithin(real, realPathOf(root) ?? root)))
      throw new HostError('integrity', `the lock file grants ${it}, which is not inside the project`);
  }
}

function isLocal(locked: LockedSource): locked is Extract<LockedSource, { readonly path: string }> {
  return locked.kind === 'folder' || locked.kind === 'file' || locked.kind === 'archive';
}

/** Undefined: not below the root. The root itself has the lock file in it, so it cannot be an entry of it. */
function projectPath(path: string, root: string): string | undefined {
  const below = relative(realPathOf(root) ?? root, realPathOf(path) ?? path);
  if (below === '' || isAbsolute(below) || below.split(sep)[0] === '..') return undefined;
  return below.split(sep).join('/');
}
