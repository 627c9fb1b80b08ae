import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const name = 'KILL';
const maxBytes = 64 * 1024;

/**
 * A file named KILL in the state directory: its presence stops everything, or what its lines name. For people who have
 * nothing but a shell, and for programs that cannot reach the host. Cheap to ask: one look at the directory entry.
 */
export class KillFile {
  readonly path: string;
  #seen = '';
  #lines: readonly string[] | null = null;

  constructor(state: string) {
    this.path = join(state, name);
  }

  /** Targets as they are written, `all` where nothing is or it cannot be read; null without a file. */
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
