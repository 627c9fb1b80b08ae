import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const name = 'KILL';
const maxBytes = 64 * 1024;

/**
 * A file named KILL in the state directory stops everything, or only the targets in its lines. It works from any shell and
 * for programs that cannot reach the host. Reading is cheap: one `lstat` while the file does not change.
 */
export class KillFile {
  readonly path: string;
  #seen = '';
  #lines: readonly string[] | null = null;

  constructor(state: string) {
    this.path = join(state, name);
  }

  /** The targets in the file. `all` if the file is empty or unreadable. Null: no file. */
  read(): readonly string[] | null {
    const stat = lstatSync(this.path, { throwIfNoEntry: false });
    if (stat === undefined) {
      this.#seen = '';
      return null;
    }
    const now = `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
    if (now !== this.#seen) {
      this.#lines = stat.isFile() && stat.size <= maxBytes ? linesOf(this.path) : ['all'];
      this.#seen = now;
    }
    return this.#lines;
  }
}

function linesOf(path: string): string[] {
  try {
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .map((it) => it.trim())
      .filter((it) => it !== '' && !it.startsWith('#'));
    return lines.length === 0 ? ['all'] : lines;
  } catch {
    return ['all'];
  }
}
