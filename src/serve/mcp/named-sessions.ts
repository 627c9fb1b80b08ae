import type { McpServerOptions } from './server-options.js';

/** Names that were used last. A session under another name is made again, which costs more than a call. */
const maxKept = 32;

/**
 * The options of one caller's server with its session under a name of its own. Making a session is expensive, so those used
 * last are kept. A kept one is never outdated: it has nothing of its own but the name.
 */
export class NamedSessions {
  readonly #unnamed: McpServerOptions;
  /** Used last at the end. */
  readonly #kept = new Map<string, McpServerOptions>();
  /** The name at the end, which need not be moved there again. */
  #newest: string | undefined;

  constructor(unnamed: McpServerOptions) {
    this.#unnamed = unnamed;
  }

  /** Undefined: the session itself. */
  of(name: string | undefined): McpServerOptions {
    if (name === undefined) return this.#unnamed;
    const { session, holder } = this.#unnamed;
    let found = this.#kept.get(name);
    if (found === undefined)
      found = { ...this.#unnamed, session: session.named(name), holder: `${holder} ${name}` };
    else if (name === this.#newest) return found;
    else this.#kept.delete(name);
    this.#newest = name;
    this.#kept.set(name, found);
    if (this.#kept.size > maxKept) this.#kept.delete(this.#kept.keys().next().value as string);
    return found;
  }
}
