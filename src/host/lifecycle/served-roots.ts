import type { Installation } from '../../model/installation.js';
import type { InstallRequest } from './installations.js';

/** Where a package is served after a change. An update keeps it; a package for all sessions stays with all. */
export function servedRoots(
  installation: Installation | undefined,
  { source, onlyHere = false }: Pick<InstallRequest, 'source' | 'onlyHere'>,
  root: string,
): Installation['roots'] {
  const roots = installation === undefined ? [] : installation.roots;
  if (onlyHere) return roots === null ? null : [...new Set([...roots, root])].sort();
  return installation === undefined || source !== undefined ? null : roots;
}
