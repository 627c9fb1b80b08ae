import type { SandboxProfile } from '../../run/sandbox-command.js';
import { changedFolders } from './changed-folders.js';

export interface FileWatchOptions {
  /** When a package began to be watched. Undefined: it is not watched. */
  readonly since: (packageId: string) => number | undefined;
  /** The clock of the file system: milliseconds since 1970. */
  readonly now: () => number;
}

/** Finds out whether calls of watched packages change files of the user. Reading leaves no trace that can be trusted. */
export class FileWatch {
  readonly #options: FileWatchOptions;
  /** When the files were last looked at, by package and folders. */
  readonly #seen = new Map<string, number>();

  constructor(options: FileWatchOptions) {
    this.#options = options;
  }

  /** `lasting`: the process lives longer than the call, so that it may change files between calls. */
  async around<T>(
    packageId: string,
    lasting: boolean,
    run: (onProfile: (profile: SandboxProfile) => void) => Promise<T>,
    report: (folders: readonly string[]) => void,
  ): Promise<T> {
    const since = this.#options.since(packageId);
    if (since === undefined) return await run(() => {});
    const started = this.#options.now();
    let used: SandboxProfile | undefined;
    try {
      return await run((it) => {
        used = it;
      });
    } finally {
      if (used !== undefined) {
        const roots = used.roots.filter((it) => it.writable).map((it) => it.source);
        const key = JSON.stringify([packageId, roots]);
        const from = lasting ? (this.#seen.get(key) ?? since) : started;
        this.#seen.set(key, this.#options.now());
        const changed = await changedFolders(roots, from);
        if (changed !== undefined) report(changed);
      }
    }
  }
}
