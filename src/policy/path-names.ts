/**
 * Finds paths by their last names, at every depth: `.ssh` matches any entry of that name, `.config/gh` an entry `gh` in
 * a folder `.config`.
 */
export class PathNames {
  /** Last name → what the path of the folder must end with; empty for any folder. */
  readonly #byName = new Map<string, readonly string[]>();

  constructor(paths: readonly string[]) {
    for (const path of paths) {
      const cut = path.lastIndexOf('/');
      const name = path.slice(cut + 1);
      const folder = cut === -1 ? '' : `/${path.slice(0, cut)}`;
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), folder]);
    }
  }

  /** `folder`: absolute, without a slash at its end. */
  has(folder: string, name: string): boolean {
    const folders = this.#byName.get(name);
    return folders?.some((it) => folder.endsWith(it)) === true;
  }
}
