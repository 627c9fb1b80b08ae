import type { FolderAccess } from '../../model/permissions.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { LoadedPackage } from '../packages/loaded-package.js';
import type { ProfileInputs } from './profile-inputs.js';

export interface NamedFolders {
  readonly folders: readonly FolderAccess[];
  /** What the manifest names and nobody granted; a sentence each. */
  readonly missing: readonly string[];
}

/**
 * The folders that a manifest names by their path, as far as somebody agreed to them by name: in the plan of an installed
 * package, or with `--allow` for a package at a path. What the operator denies is left out.
 */
export function folderAccess(
  { catalog, installed }: LoadedPackage,
  { grant, denial: { noFiles, noWriting } }: Pick<ProfileInputs, 'grant' | 'denial'>,
): NamedFolders {
  const pkg = catalog?.package;
  const named = noFiles ? [] : (pkg?.permissions.folders ?? []);
  const isGranted = ({ path, writable }: FolderAccess) =>
    installed !== undefined || grant.write.includes(path) || (!writable && grant.read.includes(path));
  return {
    folders: named.filter(isGranted).map((it) => (noWriting ? { ...it, writable: false } : it)),
    missing: named
      .filter((it) => !isGranted(it))
      .map(({ path, writable }) => {
        const text = `${writable ? 'write' : 'read'}:${path}`;
        return `it does not see ${path}; grant it: --allow ${shellQuote(`${pkg?.id}=${text}`)}`;
      }),
  };
}
