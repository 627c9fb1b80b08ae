import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { Bundle, BundleEntry } from '../model/bundle.js';

/** More than any package of source files needs; a larger tree is not a bundle. */
const maxFileBytes = 64 * 1024 * 1024;
export const maxFiles = 20_000;

/** Folders that hold what tools made, not what authors wrote. */
export const ignoredFolders: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'target',
  'dist',
  '.build',
  '__pycache__',
  '.venv',
]);

export interface FolderBundleOptions {
  /** Absolute path of the bundle's root. */
  readonly root: string;
  readonly manifest: string;
  /** The bundle is the manifest alone; its neighbors do not belong to it. */
  readonly single: boolean;
  /** How the root is shown to people; the empty string when paths are shown from the working directory. */
  readonly shown: string;
  /** What the manifest held when it was found: what is checked is then what is kept. */
  readonly held?: Uint8Array | undefined;
}

/** A bundle on disk. Every path is resolved inside the root; what a link brings in from outside is refused. */
export function folderBundle(options: FolderBundleOptions): Bundle {
  const { root, manifest, single, shown, held } = options;
  return {
    manifest,
    folder: basename(root),
    read(path) {
      if (path === manifest && held !== undefined) return { kind: 'file', bytes: held };
      if (single && path !== manifest) return { kind: 'missing' };
      return readEntry(root, path, manifest);
    },
    files: () => (single ? [manifest] : listFiles(root)),
    display: (path) => join(shown, path),
  };
}

function readEntry(root: string, path: string, manifest: string): BundleEntry {
  // A plain name in the root cannot lead anywhere else unless it is a link, and links are not opened here.
  if (/^[\w.-]+$/.test(path) && path !== '.' && path !== '..') {
    // Asking first is cheap; an error for each file that need not be there is not.
    if (path !== manifest && !existsSync(`${root}/${path}`)) return { kind: 'missing' };
    const direct = readRegular(`${root}/${path}`);
    if (direct !== undefined) return direct;
  }
  const absolute = join(root, path);
  if (path.includes('\0') || escapes(root, absolute))
    return refused('link-escape', 'the path leads out of the package');
  try {
    const real = realpathSync.native(absolute);
    if (escapes(realpathSync.native(root), real))
      return refused('link-escape', 'a link leads out of the package');
    if (statSync(real).isDirectory()) {
      accessSync(real, constants.R_OK | constants.X_OK);
      return { kind: 'folder' };
    }
    return readRegular(real) ?? refused('not-regular', 'this is not a regular file');
  } catch (error) {
    return refusalOf(error);
  }
}

/** The bytes of a regular file; undefined for a link or a folder; anything else is refused. */
function readRegular(path: string): BundleEntry | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const kind = fstatSync(descriptor);
    if (kind.isDirectory()) return undefined;
    if (!kind.isFile()) return refused('not-regular', 'this is not a regular file');
    if (kind.size > maxFileBytes) {
      return refused(
        'too-large',
        `the file has ${kind.size.toLocaleString('en')} bytes; at most 64 MiB is read`,
      );
    }
    return { kind: 'file', bytes: readAll(descriptor, kind.size) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ELOOP' ? undefined : refusalOf(error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readAll(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const got = readSync(descriptor, bytes, filled, size - filled, null);
    if (got === 0) break;
    filled += got;
  }
  return filled === size ? bytes : bytes.subarray(0, filled);
}

function refusalOf(error: unknown): BundleEntry {
  const code = (error as NodeJS.ErrnoException).code;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'missing' };
    case 'ELOOP':
      return refused('not-regular', 'the link leads back to itself');
    case 'EACCES':
    case 'EPERM':
      return refused('unreadable', 'permission to read it is missing');
    default:
      return refused('unreadable', `it cannot be read (${code ?? 'unknown reason'})`);
  }
}

function refused(
  reason: 'unreadable' | 'not-regular' | 'link-escape' | 'too-large',
  detail: string,
): BundleEntry {
  return { kind: 'refused', reason, detail };
}

export function escapes(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '..' || way.startsWith(`..${sep}`) || (way !== '' && way.startsWith(sep));
}

function listFiles(root: string): string[] {
  const files: string[] = [];
  const visit = (folder: string): void => {
    let entries: ReturnType<typeof readNames>;
    try {
      entries = readNames(join(root, folder));
    } catch {
      // Whoever reads it is told why it cannot be read; leaving it out would change what the package is.
      files.push(folder);
      return;
    }
    for (const entry of entries) {
      // One more than allowed, so that whoever asks can tell.
      if (files.length > maxFiles) return;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!ignoredFolders.has(entry.name)) visit(path);
      } else if (entry.isFile() || isLinkedFile(root, path)) {
        files.push(path);
      }
    }
  };
  visit('');
  return files.sort();
}

function readNames(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}

function isLinkedFile(root: string, path: string): boolean {
  try {
    return lstatSync(join(root, path)).isSymbolicLink() && statSync(join(root, path)).isFile();
  } catch {
    return false;
  }
}
