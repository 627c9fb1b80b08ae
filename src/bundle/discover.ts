import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { detectFrontEnd, type FrontEnd, frontEnd } from '../formats/front-ends.js';
import { finding } from '../formats/report.js';
import type { Bundle } from '../model/bundle.js';
import type { DiagnosticCode } from '../model/codes.js';
import { type Diagnostic, startOfFile } from '../model/diagnostic.js';
import type { Claim, FormatName } from '../model/format.js';
import {
  candidateOf,
  claimOf,
  guessByName,
  kindOf,
  looksLikeManifest,
  manifestNames,
  ownNames,
} from './candidate.js';
import { escapes, folderBundle, ignoredFolders } from './folder.js';

const maxDepth = 8;

export interface Discovered {
  /** Path of the manifest, as it is shown. */
  readonly file: string;
  /** Absolute path of the manifest. */
  readonly path: string;
  readonly format: FrontEnd;
  readonly bundle: Bundle;
}

export interface Discovery {
  readonly found: readonly Discovered[];
  /** Named paths that hold nothing, files that cannot be a manifest, links that lead out. */
  readonly problems: readonly Diagnostic[];
  /** Named paths that do not exist. */
  readonly missing: readonly string[];
  /** Files looked at. */
  readonly scanned: number;
  /** Manifests inside a package of the same format, which belong to that package. */
  readonly nested: number;
}

export interface DiscoverOptions {
  readonly cwd: string;
  /** Take named files for this format, whatever they look like. */
  readonly as?: FormatName | undefined;
  /** Names of folders that are not searched, besides the usual ones. */
  readonly ignore?: readonly string[] | undefined;
  /** How many folders deep the search goes. */
  readonly depth?: number | undefined;
}

/** Finds the manifests at the named paths: a file is taken for what it is, a folder is searched, sorted. */
export function discover(paths: readonly string[], options: DiscoverOptions): Discovery {
  const search = new Search(options);
  for (const path of paths) search.named(path);
  return search.result();
}

/** Where the search is. */
interface Place {
  /** Real path of the folder that was named. */
  readonly root: string;
  /** Real path of the folder looked at; each is looked at once. */
  readonly real: string;
  readonly depth: number;
  /** Formats of the packages around it. */
  readonly outer: ReadonlySet<FormatName>;
}

class Search {
  readonly #options: DiscoverOptions;
  readonly #found = new Map<string, Discovered>();
  readonly #problems: Diagnostic[] = [];
  readonly #missing: string[] = [];
  readonly #visited = new Set<string>();
  #scanned = 0;
  #nested = 0;

  constructor(options: DiscoverOptions) {
    this.#options = options;
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

  named(path: string): void {
    const absolute = resolve(this.#options.cwd, path);
    try {
      const kind = statSync(absolute);
      if (kind.isDirectory() && manifestNames.has(basename(absolute))) {
        this.#folderAsManifest(absolute);
        return;
      }
      if (kind.isDirectory()) {
        const real = realpathSync.native(absolute);
        this.#folder(absolute, { root: real, real, depth: 0, outer: new Set() });
        return;
      }
      if (!kind.isFile()) {
        this.#problem(
          'file.not-regular',
          absolute,
          'this is not a regular file',
          'name a manifest, or a folder with manifests',
        );
        return;
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT' || code === 'ENOTDIR') {
        // A link to nowhere is there, and it is broken.
        if (exists(absolute)) this.#problem('file.missing', absolute, 'the link leads to nothing');
        else this.#missing.push(path);
      } else if (code === 'ELOOP') {
        this.#problem('file.not-regular', absolute, 'the link leads back to itself');
      } else {
        this.#problem('file.unreadable', absolute, `it cannot be read (${code ?? 'unknown reason'})`);
      }
      return;
    }
    this.#namedFile(absolute);
  }

  #namedFile(absolute: string): void {
    this.#scanned++;
    const forced = this.#options.as;
    const candidate = candidateOf(absolute);
    const claimed =
      forced === undefined
        ? detectFrontEnd(candidate)
        : { frontEnd: frontEnd(forced), claim: claimOf(frontEnd(forced), candidate) };
    const guess = claimed ?? guessByName(absolute);
    if (guess === null) {
      const hint = 'name the format: --as patch|talos|toolspace|findagent|nexo';
      this.#problem('file.unknown-format', absolute, 'this is no manifest of a known format', hint);
      return;
    }
    this.#add(absolute, guess.frontEnd, guess.claim, candidate.held());
  }

  #folder(folder: string, at: Place): void {
    let entries: Dirent[];
    try {
      if (this.#visited.has(at.real)) return;
      this.#visited.add(at.real);
      entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      this.#problem(
        'file.unreadable',
        folder,
        `the folder cannot be read (${(error as NodeJS.ErrnoException).code})`,
      );
      return;
    }
    const folders: { path: string; real: string }[] = [];
    const claimedHere = new Set<FormatName>();
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const kind = entry.isSymbolicLink() ? this.#followLink(path, at.root) : kindOf(entry);
      if (kind === 'folder') {
        if (manifestNames.has(entry.name)) {
          this.#folderAsManifest(path);
        } else if (!ignoredFolders.has(entry.name) && !this.#options.ignore?.includes(entry.name))
          folders.push({
            path,
            real: entry.isSymbolicLink() ? realpathSync.native(path) : join(at.real, entry.name),
          });
      } else if (kind === 'file') {
        const format = this.#candidate(path, at.outer);
        if (format !== null) claimedHere.add(format);
      } else if (kind === 'special' && looksLikeManifest(entry.name)) {
        this.#problem('file.not-regular', path, 'this is not a regular file');
      }
    }
    if (at.depth >= (this.#options.depth ?? maxDepth)) return;
    const outer = new Set([...at.outer, ...claimedHere]);
    for (const { path, real } of folders)
      this.#folder(path, { root: at.root, real, depth: at.depth + 1, outer });
  }

  /** Returns the format when the file starts a folder package of it. */
  #candidate(path: string, outer: ReadonlySet<FormatName>): FormatName | null {
    if (!looksLikeManifest(basename(path))) return null;
    this.#scanned++;
    const candidate = candidateOf(path);
    const hit = detectFrontEnd(candidate);
    if (hit === null) {
      // A file with a format's own name that cannot even be read is worth a finding; others are not ours.
      const guess = ownNames.has(basename(path)) ? guessByName(path) : null;
      if (guess !== null) this.#add(path, guess.frontEnd, guess.claim, candidate.held());
      return null;
    }
    if (hit.claim.scope === 'folder' && hit.claim.up === 0 && outer.has(hit.frontEnd.name)) {
      this.#nested++;
      return null;
    }
    this.#add(path, hit.frontEnd, hit.claim, candidate.held());
    return hit.claim.scope === 'folder' && hit.frontEnd.name !== 'toolspace' ? hit.frontEnd.name : null;
  }

  #followLink(path: string, root: string): 'file' | 'folder' | 'special' | 'none' {
    try {
      const target = realpathSync.native(path);
      const kind = statSync(target);
      const interesting = kind.isDirectory() || looksLikeManifest(basename(path));
      if (escapes(root, target)) {
        if (interesting)
          this.#problem(
            'file.link-escape',
            path,
            'the link leads out of the folder that was named',
            'name its target as well, if you mean it',
          );
        return 'none';
      }
      return kind.isDirectory() ? 'folder' : kind.isFile() ? 'file' : 'special';
    } catch (error) {
      if (looksLikeManifest(basename(path))) {
        const loop = (error as NodeJS.ErrnoException).code === 'ELOOP';
        this.#problem(
          loop ? 'file.not-regular' : 'file.missing',
          path,
          loop ? 'the link leads back to itself' : 'the link leads to nothing',
        );
      }
      return 'none';
    }
  }

  #add(absolute: string, format: FrontEnd, claim: Claim, held: Uint8Array | undefined): void {
    if (this.#found.has(absolute)) return;
    const root = claim.up === 1 ? dirname(dirname(absolute)) : dirname(absolute);
    const manifest =
      claim.up === 1 ? join(basename(dirname(absolute)), basename(absolute)) : basename(absolute);
    const bundle = folderBundle({
      root,
      manifest,
      single: claim.scope === 'file',
      shown: this.#shown(root),
      held,
    });
    this.#found.set(absolute, { file: this.#shown(absolute), path: absolute, format, bundle });
  }

  #folderAsManifest(path: string): void {
    this.#problem(
      'file.not-regular',
      path,
      `a folder has the name of a manifest, ${basename(path)}`,
      'rename it',
    );
  }

  #problem(code: DiagnosticCode, path: string, message: string, hint?: string): void {
    this.#problems.push(finding(code, this.#shown(path), startOfFile, message, hint));
  }

  /** Relative to the working directory where that is shorter to read. */
  #shown(path: string): string {
    if (path.startsWith(`${this.#options.cwd}/`)) return path.slice(this.#options.cwd.length + 1);
    const way = relative(this.#options.cwd, path);
    return way.startsWith('..') ? path : way;
  }
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
