import type { JsonObject } from '../../model/json.js';
import { clientKeyOption, clientKeyPath, readClientKey, writeClientKey } from '../socket/client-key.js';
import { configuredServer } from './configured-server.js';

/** The key file of one entry in a client's configuration. */
export class EntryKey {
  readonly #path: string;

  /** `place`: the id of a `ClientPlace`. */
  constructor(state: string, place: string, entryName: string) {
    this.#path = clientKeyPath(state, place, entryName);
  }

  /** The arguments of `toolwharf mcp` that name the file. */
  get args(): readonly string[] {
    return [`--${clientKeyOption}`, this.#path];
  }

  isNamedBy(entry: JsonObject | undefined): boolean {
    const server = entry && configuredServer(entry);
    return server?.kind === 'program' && server.args.includes(this.#path);
  }

  /** The key of an entry that names the file; undefined if there is none. */
  of(entry: JsonObject | undefined): string | undefined {
    return this.isNamedBy(entry) ? readClientKey(this.#path) : undefined;
  }

  /** Writes the key, then does `work`. If that fails, the earlier key is back. */
  writeAnd<T>(key: string, work: () => T): T {
    const earlier = readClientKey(this.#path);
    writeClientKey(this.#path, key);
    try {
      return work();
    } catch (error) {
      writeClientKey(this.#path, earlier);
      throw error;
    }
  }

  remove(): void {
    writeClientKey(this.#path, undefined);
  }
}
