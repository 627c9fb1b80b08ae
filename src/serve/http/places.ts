import { basename } from 'node:path';

/**
 * Takes the folders of this machine out of what agents are told: they need to know which file of a package is meant,
 * not where its user lives.
 */
export class Places {
  readonly #folders: readonly string[];

  /** Folders and files that are served, absolute. */
  constructor(served: readonly string[]) {
    // Of nested ones the longest, or a part would be left over.
    this.#folders = [...new Set(served)].filter((it) => it !== '/').sort((a, b) => b.length - a.length);
  }

  path(path: string): string {
    const folder = this.#folders.find((it) => path.startsWith(`${it}/`));
    return folder === undefined ? basename(path) : path.slice(folder.length + 1);
  }

  text(text: string): string {
    let shown = text;
    for (const it of this.#folders) {
      // A folder whose name only begins the same is another one.
      const word = it.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      shown = shown
        .replace(new RegExp(`${word}/`, 'g'), '')
        .replace(new RegExp(`${word}(?![\\w.-])`, 'g'), basename(it));
    }
    return shown;
  }
}
