import { basename } from 'node:path';

/**
 * Removes local folders from text for agents. Agents need to know which file of a package is meant, not where it is on
 * the user's machine.
 */
export class PathRedactor {
  readonly #folders: readonly string[];

  /** Absolute paths of the served folders and files. */
  constructor(paths: readonly string[]) {
    // Longest first: with nested folders a shorter match would leave a part of the path.
    this.#folders = [...new Set(paths)].filter((it) => it !== '/').sort((a, b) => b.length - a.length);
  }

  path(path: string): string {
    const folder = this.#folders.find((it) => path.startsWith(`${it}/`));
    return folder === undefined ? basename(path) : path.slice(folder.length + 1);
  }

  text(text: string): string {
    let redacted = text;
    for (const it of this.#folders) {
      // A folder name that only starts with the same characters is another folder.
      const pattern = it.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      redacted = redacted
        .replace(new RegExp(`${pattern}/`, 'g'), '')
        .replace(new RegExp(`${pattern}(?![\\w.-])`, 'g'), basename(it));
    }
    return redacted;
  }
}
