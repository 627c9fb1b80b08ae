import type { SqliteConnection } from './sqlite.js';

/** `full`: a commit is on disk when it returns. `normal`: it survives the end of this process, but not a power loss. */
export type SynchronousMode = 'full' | 'normal';

/**
 * What commits of a connection wait for. Every use of the connection says its mode first, so that one in a row of the same
 * mode costs nothing: changing the mode is a statement of its own.
 */
export class Synchronous {
  readonly #connection: SqliteConnection;
  /** Undefined: not known, so it is set. */
  #mode: SynchronousMode | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Outside of a transaction. Throws if the mode cannot be set; then nothing may be committed. */
  use(mode: SynchronousMode): void {
    if (this.#mode === mode) return;
    this.#mode = undefined;
    this.#connection.exec(`pragma synchronous = ${mode}`);
    this.#mode = mode;
  }
}
