import { mkdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { moveEntryBack, moveEntryOut, removeStoredEntry } from '../../files/move-entry.js';
import { HostError } from '../../model/host-error.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { MovedFileRows, StoredMovedFile } from '../../store/moved-files.js';
import type { MovedFile, QuarantineOperations } from './operator.js';
import type { OperatorAuth } from './operator-auth.js';
import type { Violations } from './violations.js';

export interface QuarantineOptions {
  /** The state directory. */
  readonly state: string;
  readonly rows: MovedFileRows;
  readonly audit: AuditLog;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly violations: Pick<Violations, 'report'>;
}

/** Puts a file back; `work` does it while the folder is not checked. */
export type RestoreInto = (file: StoredMovedFile, work: () => void) => Promise<void>;

/** What to move aside, and from where. */
export interface SuspiciousPlace {
  /** The mounted folder. */
  readonly folder: string;
  readonly path: string;
  readonly kind: StoredMovedFile['kind'];
  /** Packages whose programs could write to the folder at that time. */
  readonly packages: readonly string[];
}

/** Files that programs of packages made in places that steer other programs, moved aside until a person decides. */
export class Quarantine {
  readonly #options: QuarantineOptions;

  constructor(options: QuarantineOptions) {
    this.#options = options;
  }

  /** False if it no longer exists. Throws if it cannot be moved. */
  async moveAside({ folder, path, kind, packages }: SuspiciousPlace): Promise<boolean> {
    const { state, rows, audit, now, newId } = this.#options;
    const id = newId('mov');
    const own = join(state, 'quarantine', id);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    // The name beside its old place must not be one that a program looks for.
    const stored = moveEntryOut(folder, path, join(own, 'content'), `moved-aside-${id}`);
    if (stored === null || dirname(stored) !== own) rmdirSync(own);
    if (stored === null) return false;
    await rows.add({ id, folder, path, stored, kind, packages, at: now() });
    await audit.append({
      kind: 'operator',
      body: { operation: 'move aside', id, path, packages, by: 'host' },
    });
    // If several packages could write to the folder, nobody knows which one did.
    const [only, ...others] = packages;
    if (only !== undefined && others.length === 0)
      this.#options.violations.report({ package: only, kind: 'steering-file', detail: `it made ${path}` });
    return true;
  }

  /** The audit entry for a place that could not be moved. */
  async reportStuck(path: string, packages: readonly string[], reason: string): Promise<void> {
    const body = { operation: 'move aside failed', path, packages, reason, by: 'host' };
    await this.#options.audit.append({ kind: 'operator', body });
  }

  operations(operatorAuth: OperatorAuth, restoreInto: RestoreInto): QuarantineOperations {
    const { rows, audit } = this.#options;
    return {
      list: async () => (await rows.list()).map(movedFileOf),
      restore: async (id, by) => {
        const who = await operatorAuth.verify(by, 'restore a file that was moved aside');
        const file = await this.#find(id);
        await restoreInto(file, () => putBack(file));
        await audit.append({ kind: 'operator', body: { operation: 'restore', id, path: file.path, ...who } });
        this.#removeOwnFolder(file);
        await rows.remove(id);
        return movedFileOf(file);
      },
      delete: async (id, by) => {
        const who = await operatorAuth.verify(by, 'delete a file that was moved aside');
        const file = await this.#find(id);
        await audit.append({ kind: 'operator', body: { operation: 'delete', id, path: file.path, ...who } });
        this.#remove(file);
        await rows.remove(id);
        return movedFileOf(file);
      },
    };
  }

  async #find(id: string): Promise<StoredMovedFile> {
    const found = await this.#options.rows.get(id);
    if (found !== undefined) return found;
    throw new HostError(
      'not_found',
      `no file with the id ${JSON.stringify(id.slice(0, 80))} was moved aside`,
      {
        hint: 'see "toolwharf quarantine"',
      },
    );
  }

  #remove(file: StoredMovedFile): void {
    try {
      removeStoredEntry(this.#isStoredHere(file) ? this.#options.state : file.folder, file.stored);
      this.#removeOwnFolder(file);
    } catch (error) {
      throw new HostError('unavailable', `${file.stored} cannot be deleted`, {
        cause: error,
        hint: 'delete it yourself, then repeat the command',
      });
    }
  }

  #removeOwnFolder(file: StoredMovedFile): void {
    if (this.#isStoredHere(file)) rmdirSync(dirname(file.stored));
  }

  /** Otherwise it stayed beside its old place. */
  #isStoredHere({ id, stored }: StoredMovedFile): boolean {
    return dirname(stored) === join(this.#options.state, 'quarantine', id);
  }
}

function putBack({ id, folder, path, stored }: StoredMovedFile): void {
  try {
    moveEntryBack(stored, folder, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST' ? 'something else is there now' : `its folder cannot be used (${code ?? 'unknown'})`;
    throw new HostError('unavailable', `${path} cannot be restored: ${why}`, {
      cause: error,
      hint: `remove what is there, or delete the file: toolwharf quarantine delete ${shellQuote(id)}`,
    });
  }
}

function movedFileOf({ folder, ...file }: StoredMovedFile): MovedFile {
  return file;
}
