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
import { basename, join } from 'node:path';
import { isWithin } from '../files/path-containment.js';
import { untrustedReadFlags } from '../files/read-flags.js';
import { sha256 } from '../files/sha256.js';
import type { Bundle, BundleEntry } from '../model/bundle.js';

/** Limits of one bundle, far above what source packages need. */
const maxFileBytes = 64 * 1024 * 1024;
export const maxFiles = 20_000;

/** The folder with an author's saved test cases. */
export const testsFolder = 'toolwharf-tests';

/** Folders with generated or downloaded files, and with test cases. They are not part of a bundle. */
export const ignoredFolders: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'target',
  'dist',
  '.build',
  '__pycache__',
  '.venv',
  testsFolder,
]);

/** Which files a bundle on disk consists of. */
export interface FolderBundleOptions {
  /** Absolute path of the bundle's root. */
  readonly root: string;
  readonly manifest: string;
  /** True: the bundle is only the manifest, not the other files of its folder. */
  readonly singleFile: boolean;
  /** Prefix of the paths in messages. Empty: paths are relative to the working directory. */
  readonly displayRoot: string;
  /** The manifest's bytes from the search, so that the file is not read twice with different content. */
  readonly manifestBytes?: Uint8Array | undefined;
  /** True: a tree of the content store. It has no folder name of its own, and all its folders belong to it. */
  readonly isStoredTree?: boolean | undefined;
}

/** A bundle on disk. Paths and symbolic links that point outside the root are rejected. */
export function folderBundle(options: FolderBundleOptions): Bundle {
  const { root, manifest, singleFile, displayRoot, manifestBytes, isStoredTree = false } = options;
  const read = (path: string): BundleEntry => {
    if (path === manifest && manifestBytes !== undefined) return { kind: 'file', bytes: manifestBytes };
    if (singleFile && path !== manifest) return { kind: 'missing' };
    return readEntry(root, path, manifest);
  };
  return {
    manifest,
    folder: isStoredTree ? '' : basename(root),
    read,
    digest: (path) => digestOf(read(path)),
    files: () => (singleFile ? [manifest] : listFiles(root, isStoredTree ? noFolders : ignoredFolders)),
    display: (path) => join(displayRoot, path),
  };
}

/** SHA-256 of a file's content, in hex; undefined for everything else. */
export function digestOf(entry: BundleEntry): string | undefined {
  return entry.kind === 'file' ? sha256(entry.bytes) : undefined;
}

function readEntry(root: string, path: string, manifest: string): BundleEntry {
  // Fast path: a plain name in the root can point elsewhere only if it is a link, and `readRegular` opens no links.
  if (/^[\w.-]+$/.test(path) && path !== '.' && path !== '..') {
    // Checking first is much cheaper than an exception for each optional file that is missing.
    if (path !== manifest && !existsSync(`${root}/${path}`)) return { kind: 'missing' };
    const direct = readRegular(`${root}/${path}`);
    if (direct !== undefined) return direct;
  }
  const absolute = join(root, path);
  if (path.includes('\0') || !isWithin(absolute, root))
    return rejected('link-escape', 'the path points outside the package');
  try {
    const real = realpathSync.native(absolute);
    if (!isWithin(real, realpathSync.native(root)))
      return rejected('link-escape', 'a symbolic link points outside the package');
    if (statSync(real).isDirectory()) {
      accessSync(real, constants.R_OK | constants.X_OK);
      return { kind: 'folder' };
    }
    return readRegular(real) ?? rejected('not-regular', 'this is not a regular file');
  } catch (error) {
    return entryForError(error);
  }
}

/** The bytes of a regular file; undefined for a link or a folder. Devices, pipes and sockets are rejected. */
function readRegular(path: string): BundleEntry | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, untrustedReadFlags);
    const kind = fstatSync(descriptor);
    if (kind.isDirectory()) return undefined;
    if (!kind.isFile()) return rejected('not-regular', 'this is not a regular file');
    if (kind.size > maxFileBytes) {
      return rejected(
        'too-large',
        `the file has ${kind.size.toLocaleString('en')} bytes; the limit is 64 MiB`,
      );
    }
    return { kind: 'file', bytes: readAll(descriptor, kind.size) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ELOOP' ? undefined : entryForError(error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readAll(descriptor: number, size: number): Uint8Array {
  // Not filled with zeros: only what was read is returned.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
  let filled = 0;
  while (filled < size) {
    const count = readSync(descriptor, bytes, filled, size - filled, null);
    if (count === 0) break;
    filled += count;
  }
  return filled === size ? bytes : bytes.slice(0, filled);
}

function entryForError(error: unknown): BundleEntry {
  const code = (error as NodeJS.ErrnoException).code;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'missing' };
    case 'ELOOP':
      return rejected('not-regular', 'symbolic link loop');
    case 'EACCES':
    case 'EPERM':
      return rejected('unreadable', 'no permission to read the file');
    default:
      return rejected('unreadable', `cannot read the file (${code ?? 'unknown reason'})`);
  }
}

function rejected(
  reason: 'unreadable' | 'not-regular' | 'link-escape' | 'too-large',
  detail: string,
): BundleEntry {
  return { kind: 'rejected', reason, detail };
}

/** A stored tree has everything that its source had, except test cases. */
const noFolders: ReadonlySet<string> = new Set([testsFolder]);

function listFiles(root: string, ignored: ReadonlySet<string>): string[] {
  const files: string[] = [];
  const visit = (folder: string): void => {
    let entries: ReturnType<typeof readNames>;
    try {
      entries = readNames(join(root, folder));
    } catch {
      // List the folder itself: reading it reports the error. Leaving it out would change the package's digest.
      files.push(folder);
      return;
    }
    for (const entry of entries) {
      // Stop at one more than the limit, so that the caller can detect it.
      if (files.length > maxFiles) return;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!ignored.has(entry.name)) visit(path);
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
