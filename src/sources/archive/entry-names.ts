import { codePointName, findHidden } from '../../model/unicode.js';
import type { ArchiveLimits } from './archive-limits.js';
import { entryName, invalidArchive } from './invalid-archive.js';

interface KnownName {
  readonly spelling: string;
  readonly isFolder: boolean;
}

/**
 * The names of one tree. Each may be written in one way only: on some file systems names are equal if they differ in case
 * or in the form of their accents, and one file would silently replace another.
 */
export class EntryNames {
  readonly #known = new Map<string, KnownName>();
  readonly #limits: ArchiveLimits;
  #count = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  /** The path in its plain form. Throws if it leads outside, is not plain, or is there already. */
  addFile(name: string): string {
    const path = plainPath(name, this.#limits);
    this.#add(path, false);
    return path;
  }

  /** A folder may be named several times. */
  addFolder(name: string): void {
    const path = plainPath(name.replace(/\/+$/, ''), this.#limits, true);
    if (path !== '') this.#add(path, true);
    else this.#countEntry();
  }

  hasFile(path: string): boolean {
    const known = this.#known.get(folded(path));
    return known !== undefined && !known.isFolder && known.spelling === path;
  }

  #add(path: string, isFolder: boolean): void {
    this.#countEntry();
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      this.#know(path.slice(0, at), true, true);
    this.#know(path, isFolder, isFolder);
  }

  #countEntry(): void {
    this.#count += 1;
    if (this.#count > this.#limits.entries)
      throw invalidArchive(
        `the archive has more than ${this.#limits.entries.toLocaleString('en')} files and folders`,
      );
  }

  #know(spelling: string, isFolder: boolean, mayRepeat: boolean): void {
    const key = folded(spelling);
    const known = this.#known.get(key);
    if (known === undefined) {
      this.#known.set(key, { spelling, isFolder });
      return;
    }
    if (known.spelling !== spelling)
      throw invalidArchive(
        `${entryName(known.spelling)} and ${entryName(spelling)} are the same name on some systems`,
      );
    if (known.isFolder !== isFolder)
      throw invalidArchive(`${entryName(spelling)} is both a file and a folder`);
    if (!mayRepeat) throw invalidArchive(`${entryName(spelling)} is in the archive twice`);
  }
}

/** Equal for names that some file system takes for the same. Upper case first: ß and SS, σ and ς are the same. */
function folded(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

function plainPath(name: string, limits: ArchiveLimits, mayBeRoot = false): string {
  const shown = entryName(name);
  // Archives of the current folder begin every name with "./".
  const path = name.replace(/^(?:\.\/)+/, '').replace(/^\.$/, '');
  if (path === '' && mayBeRoot) return path;
  if (path === '') throw invalidArchive('an entry has no name');
  const [hidden] = findHidden(path);
  if (hidden !== undefined || /[\n\t\r]/.test(path))
    throw invalidArchive(
      `the name ${shown} contains a character that cannot be seen${hidden === undefined ? '' : ` (${codePointName(hidden.codePoint)})`}`,
    );
  if (path.includes('\\')) throw invalidArchive(`the name ${shown} contains a backslash`);
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    throw invalidArchive(`the name ${shown} is an absolute path`);
  const parts = path.split('/');
  if (parts.includes('..')) throw invalidArchive(`the name ${shown} leads outside of the archive`);
  if (parts.some((it) => it === '' || it === '.'))
    throw invalidArchive(`the name ${shown} has an empty part or "."`);
  if (parts.some((it) => folded(it) === '.git'))
    throw invalidArchive(`${shown} belongs to a git repository, which is not unpacked`);
  if (parts.length > limits.depth) throw invalidArchive(`${shown} is more than ${limits.depth} folders deep`);
  if (Buffer.byteLength(path) > limits.pathBytes || parts.some((it) => Buffer.byteLength(it) > 255))
    throw invalidArchive(`the name ${shown} is too long`);
  return path;
}
