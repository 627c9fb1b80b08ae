import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isWithin } from '../files/path-containment.js';
import { detectFormat } from '../formats/detect.js';
import type { FormatDescriptor } from '../formats/format-descriptor.js';
import { makeDiagnostic } from '../formats/report.js';
import type { Bundle } from '../model/bundle.js';
import type { CommonCode } from '../model/codes.js';
import { type Diagnostic, startOfFile } from '../model/diagnostic.js';
import type { Claim } from '../model/format.js';
import { createCandidate } from './candidate.js';
import { folderBundle, ignoredFolders } from './folder.js';
import { type ManifestNames, manifestNames } from './manifest-names.js';

const maxDepth = 8;

/** A manifest that was found, with its format and its files. */
export interface DiscoveredManifest {
  /** Path of the manifest in the form that messages use. */
  readonly file: string;
  /** Absolute path of the manifest. */
  readonly path: string;
  readonly format: FormatDescriptor;
  readonly bundle: Bundle;
}

/** The result of a search. */
export interface Discovery {
  readonly found: readonly DiscoveredManifest[];
  /** Files that are not a manifest or cannot be read, and links that point outside the searched folder. */
  readonly problems: readonly Diagnostic[];
  /** Given paths that do not exist. */
  readonly missing: readonly string[];
  /** Number of files that were checked. */
  readonly scanned: number;
  /** Number of manifests that belong to a package of the same format. */
  readonly nested: number;
}

export interface DiscoverOptions {
  readonly cwd: string;
  /** Which formats to look for, in the order in which a file is offered to them. */
  readonly formats: readonly FormatDescriptor[];
  /** Parse the given files as this format, whatever they look like. */
  readonly as?: FormatDescriptor | undefined;
  /** Names of folders that are not searched, in addition to `ignoredFolders`. */
  readonly ignore?: readonly string[] | undefined;
  /** Maximum depth of the search. Default: 8 folders. */
  readonly depth?: number | undefined;
  /** A tree of the content store: a package at its root has no folder name. */
  readonly storedTree?: string | undefined;
}

/** Finds manifests: each path is a manifest or a folder that is searched. The result is sorted by path. */
export function discover(paths: readonly string[], options: DiscoverOptions): Discovery {
  const search = new Search(options);
  for (const path of paths) search.addPath(path);
  return search.result();
}

/** A format with what it claims for a file. */
interface ClaimedBy {
  readonly format: FormatDescriptor;
  readonly claim: Claim;
}

/** The folder that the search is in. */
interface SearchPosition {
  /** Real path of the folder that the search started from. */
  readonly root: string;
  /** Real path of the current folder. Each folder is searched only once. */
  readonly real: string;
  readonly depth: number;
  /** Formats of the packages that contain the current folder. */
  readonly outer: ReadonlySet<FormatDescriptor>;
}

class Search {
  readonly #options: DiscoverOptions;
  readonly #names: ManifestNames;
  readonly #found = new Map<string, DiscoveredManifest>();
  readonly #problems: Diagnostic[] = [];
  readonly #missing: string[] = [];
  readonly #visited = new Set<string>();
  #scanned = 0;
  #nested = 0;

  constructor(options: DiscoverOptions) {
    this.#options = options;
    this.#names = manifestNames(options.formats);
  }

  result(): Discovery {
    const found = [...this.#found.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
    return {
      found,
      problems: this.#problems,
      missing: this.#missing,
      scanned: this.#scanned,
      nested: this.#nested,
    };
  }

  addPath(path: string): void {
    const absolute = resolve(this.#options.cwd, path);
    try {
      const kind = statSync(absolute);
      if (kind.isDirectory() && this.#names.isReserved(basename(absolute))) {
        this.#folderAsManifest(absolute);
        return;
      }
      if (kind.isDirectory()) {
        const real = realpathSync.native(absolute);
        this.#searchFolder(absolute, { root: real, real, depth: 0, outer: new Set() });
        return;
      }
      if (!kind.isFile()) {
        this.#problem(
          'file.not-regular',
          absolute,
          'this is not a regular file',
          'give the path of a manifest, or of a folder with manifests',
        );
        return;
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT' || code === 'ENOTDIR') {
        // A broken link exists, but its target does not.
        if (exists(absolute)) this.#problem('file.missing', absolute, 'broken symbolic link');
        else this.#missing.push(path);
      } else if (code === 'ELOOP') {
        this.#problem('file.not-regular', absolute, 'symbolic link loop');
      } else {
        this.#problem('file.unreadable', absolute, `cannot read the file (${code ?? 'unknown reason'})`);
      }
      return;
    }
    this.#addGivenFile(absolute);
  }

  #addGivenFile(absolute: string): void {
    this.#scanned++;
    const { as, formats } = this.#options;
    const candidate = createCandidate(absolute);
    const detected = detectFormat(as === undefined ? formats : [as], candidate);
    const guess = detected ?? guessed(as ?? this.#names.likelyFormat(basename(absolute)));
    if (guess === null) {
      const hint = `set its format: --as ${formats.map((it) => it.name).join('|')}`;
      this.#problem('file.unknown-format', absolute, 'this file is not a manifest of a known format', hint);
      return;
    }
    this.#add(absolute, guess, candidate.bytes());
  }

  #searchFolder(folder: string, at: SearchPosition): void {
    let entries: Dirent[];
    try {
      if (this.#visited.has(at.real)) return;
      this.#visited.add(at.real);
      entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      this.#problem(
        'file.unreadable',
        folder,
        `cannot read the folder (${(error as NodeJS.ErrnoException).code})`,
      );
      return;
    }
    const folders: { path: string; real: string }[] = [];
    const claimedHere = new Set<FormatDescriptor>();
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const kind = entry.isSymbolicLink() ? this.#followLink(path, at.root) : entryKind(entry);
      if (kind === 'folder') {
        if (this.#names.isReserved(entry.name)) {
          this.#folderAsManifest(path);
        } else if (!ignoredFolders.has(entry.name) && !this.#options.ignore?.includes(entry.name))
          folders.push({
            path,
            real: entry.isSymbolicLink() ? realpathSync.native(path) : join(at.real, entry.name),
          });
      } else if (kind === 'file') {
        const format = this.#checkFile(path, at.outer);
        if (format !== null) claimedHere.add(format);
      } else if (kind === 'special' && this.#names.mayBeManifest(entry.name)) {
        this.#problem('file.not-regular', path, 'this is not a regular file');
      }
    }
    if (at.depth >= (this.#options.depth ?? maxDepth)) return;
    const outer = new Set([...at.outer, ...claimedHere]);
    for (const { path, real } of folders)
      this.#searchFolder(path, { root: at.root, real, depth: at.depth + 1, outer });
  }

  /** Returns the format when packages of this format in subfolders belong to the one that was found. */
  #checkFile(path: string, outer: ReadonlySet<FormatDescriptor>): FormatDescriptor | null {
    if (!this.#names.mayBeManifest(basename(path))) return null;
    this.#scanned++;
    const candidate = createCandidate(path);
    const detected = detectFormat(this.#options.formats, candidate);
    if (detected === null) {
      // A file whose name only one format uses is reported even if it cannot be read. Other files are ignored.
      const guess = guessed(this.#names.certainFormat(basename(path)));
      if (guess !== null) this.#add(path, guess, candidate.bytes());
      return null;
    }
    const { format, claim } = detected;
    if (claim.scope === 'folder' && claim.levelsUp === 0 && outer.has(format)) {
      this.#nested++;
      return null;
    }
    this.#add(path, detected, candidate.bytes());
    return claim.scope === 'folder' && format.ownsSubfolders ? format : null;
  }

  #followLink(path: string, root: string): 'file' | 'folder' | 'special' | 'none' {
    try {
      const target = realpathSync.native(path);
      const kind = statSync(target);
      const relevant = kind.isDirectory() || this.#names.mayBeManifest(basename(path));
      if (!isWithin(target, root)) {
        if (relevant)
          this.#problem(
            'file.link-escape',
            path,
            'the link points outside the folder that is searched',
            'give the path of its target too, if it should be included',
          );
        return 'none';
      }
      return kind.isDirectory() ? 'folder' : kind.isFile() ? 'file' : 'special';
    } catch (error) {
      if (this.#names.mayBeManifest(basename(path))) {
        const loop = (error as NodeJS.ErrnoException).code === 'ELOOP';
        this.#problem(
          loop ? 'file.not-regular' : 'file.missing',
          path,
          loop ? 'symbolic link loop' : 'broken symbolic link',
        );
      }
      return 'none';
    }
  }

  #add(absolute: string, { format, claim }: ClaimedBy, manifestBytes: Uint8Array | undefined): void {
    if (this.#found.has(absolute)) return;
    const root = claim.levelsUp === 1 ? dirname(dirname(absolute)) : dirname(absolute);
    const manifest =
      claim.levelsUp === 1 ? join(basename(dirname(absolute)), basename(absolute)) : basename(absolute);
    const bundle = folderBundle({
      root,
      manifest,
      singleFile: claim.scope === 'file',
      displayRoot: this.#display(root),
      manifestBytes,
      isStoredTree: root === this.#options.storedTree,
    });
    this.#found.set(absolute, { file: this.#display(absolute), path: absolute, format, bundle });
  }

  #folderAsManifest(path: string): void {
    this.#problem(
      'file.not-regular',
      path,
      `${basename(path)} is a folder, but this name is reserved for manifest files`,
      'rename the folder',
    );
  }

  #problem(code: CommonCode, path: string, message: string, hint?: string): void {
    this.#problems.push(makeDiagnostic(code, this.#display(path), startOfFile, message, hint));
  }

  /** Relative to the working directory, if the path is inside it. */
  #display(path: string): string {
    const { cwd } = this.#options;
    if (path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1);
    const relativePath = relative(cwd, path);
    return relativePath.startsWith('..') ? path : relativePath;
  }
}

/** The usual claim of a format for a file that does not look like its manifest. */
function guessed(format: FormatDescriptor | undefined): ClaimedBy | null {
  return format === undefined ? null : { format, claim: { scope: format.usualScope, levelsUp: 0 } };
}

function entryKind(entry: Dirent): 'file' | 'folder' | 'special' {
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'special';
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
