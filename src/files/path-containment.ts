import { isAbsolute, relative, sep } from 'node:path';

/** In a path: doubled or trailing slashes, `.` and `..`. */
const unusual = /\/\.{0,2}(?:\/|$)/;

/**
 * Whether an absolute path is the folder or below it. `..` in a path counts, links do not: the caller resolves them first
 * if somebody else could have made one.
 */
export function isWithin(path: string, folder: string): boolean {
  // Comparing texts costs a tenth of `relative`, and sandboxes compare many paths.
  if (isPlain(path) && isPlain(folder))
    return (
      path.startsWith(folder) &&
      (folder === '/' || path.length === folder.length || path[folder.length] === '/')
    );
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Whether an absolute path is below the folder, and not the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  return isWithin(path, folder) && !isWithin(folder, path);
}

function isPlain(path: string): boolean {
  return path === '/' || (path.startsWith('/') && !unusual.test(path));
}
