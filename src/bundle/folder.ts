import {
  closeSync,
  constants,
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
export const maxFileBytes = 64 * 1024 * 1024;
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
  /** The bundle is the manifest alone; its neighbours do not belong to it. */
  readonly single: boolean;
  /** How the root is shown to people; the empty string when paths are shown from the working directory. */
  readonly shown: string;
}

/** A bundle on disk. Every path is resolved inside the root; what a link brings in from outside is refused. */
export function folderBundle(options: FolderBundleOptions): Bundle {
  const { root, manifest, single, shown } = options;
  return {
    manifest,
    folder: basename(root),
    read(path) {
      if (single && path !== manifest) return { kind: 'missing' };
      return readEntry(root, path);
    },
    files: () => (single ? [manifest] : listFiles(root)),
    display: (path) => join(shown, path),
  };
}

function readEntry(root: string, path: string): BundleEntry {
  const absolute = join(root, path);
  if (path.includes('\0') || escapes(root, absolute))
    return refused('link-escape', 'the path leads out of the package');
  let descriptor: number | undefined;
  try {
    const real = realpathSync(absolute);
    if (escapes(realpathSync(root), real)) return refused('link-escape', 'a link leads out of the package');
    const kind = statSync(real);
    if (kind.isDirectory()) return { kind: 'folder' };
    if (!kind.isFile()) return refused('not-regular', 'this is not a regular file');
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = fstatSync(descriptor);
    if (size > maxFileBytes)
      return refused('too-large', `the file has ${size.toLocaleString('en')} bytes; at most 64 MiB is read`);
    return { kind: 'file', bytes: readAll(descriptor, size) };
  } catch (error) {
    return refusalOf(error);
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
      return;
    }
    for (const entry of entries) {
      if (files.length >= maxFiles) return;
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
