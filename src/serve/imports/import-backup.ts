import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateFile, readPrivateFile, removePrivateFile } from '../../files/private-file.js';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';

/** One change of a client's file by `import`, with everything that undoing it needs. */
export interface ImportBackup {
  /** Absolute path of the client's file. */
  readonly file: string;
  /** The text of the file before. It may contain secrets. */
  readonly before: string;
  readonly after: string;
  readonly moved: readonly { readonly entry: string; readonly package: string }[];
  /** Name of our entry. */
  readonly name: string;
  /** Whether the import added our entry. */
  readonly isEntryNew: boolean;
}

const sizes = { min: 2, max: 512 * 1024 * 1024 };

/**
 * The backups of one place, in the state directory: a backup beside the file would be another place with the secrets
 * that were just moved.
 */
export class ImportBackups {
  readonly #folder: string;
  readonly #start: string;

  /** `place`: the id of a `ClientPlace`. */
  constructor(state: string, place: string) {
    this.#folder = join(state, 'imports');
    this.#start = `${sha256(place).slice(0, 16)}-`;
  }

  /** Writes a backup. Returns its path. */
  add(backup: ImportBackup): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    chmodSync(this.#folder, 0o700);
    const content = JSON.stringify({ schema: 'toolwharf/import-backup@1', ...backup });
    for (let number = (this.#numbers().at(-1) ?? 0) + 1; ; number++) {
      const path = this.#path(number);
      if (createPrivateFile(path, content)) return path;
    }
  }

  /** The newest backup; undefined if there is none. */
  last(): { readonly path: string; readonly backup: ImportBackup } | undefined {
    const number = this.#numbers().at(-1);
    if (number === undefined) return undefined;
    const path = this.#path(number);
    const bytes = readPrivateFile(path, sizes);
    return bytes === undefined ? undefined : { path, backup: backupOf(bytes.toString('utf8'), path) };
  }

  remove(path: string): void {
    removePrivateFile(path);
  }

  #path(number: number): string {
    return join(this.#folder, `${this.#start}${String(number).padStart(4, '0')}.json`);
  }

  #numbers(): number[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch (error) {
      // Only a missing folder means that there are none.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    return names
      .flatMap((it) => {
        const number = it.startsWith(this.#start) ? /^(\d+)\.json$/.exec(it.slice(this.#start.length)) : null;
        return number === null ? [] : [Number(number[1])];
      })
      .sort((a, b) => a - b);
  }
}

function backupOf(text: string, path: string): ImportBackup {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw damaged(path, cause);
  }
  if (!isObject(value)) throw damaged(path);
  const { file, before, after, name, moved, isEntryNew } = value;
  if (![file, before, after, name].every((it) => typeof it === 'string') || !Array.isArray(moved))
    throw damaged(path);
  return { file, before, after, name, moved, isEntryNew: isEntryNew === true } as unknown as ImportBackup;
}

function damaged(path: string, cause?: unknown): HostError {
  return new HostError('integrity', `the backup of the import is damaged: ${path}`, {
    hint: 'it contains the text of the file before, in the member "before"',
    cause,
  });
}
