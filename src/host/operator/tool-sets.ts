import { canonicalJson, type Json, tryParseStored } from '../../model/json.js';
import type { SetBinding, ToolSet, ToolSetEntry } from '../../model/tool-set.js';
import { readToolSet } from '../../policy/sets/tool-set-check.js';
import type { ToolSetRows } from '../../store/tool-sets.js';
import { setDigest } from './set-digest.js';

/** The set of a session, and why it is this one. */
export interface SetInForce {
  readonly name: string;
  /** `binding`: of the caller. `session`: the session names it. `workspace`, `everyone`: it is loaded there. */
  readonly source: 'binding' | 'session' | 'workspace' | 'everyone';
  readonly digest: string;
  /** Null: there is no such set, or it cannot be read. The session then has no tools. */
  readonly set: ToolSet | null;
}

/** What decides about the set of a session. */
export interface SetRequest {
  readonly principal: string;
  /** The workspace with all links resolved. */
  readonly root: string;
  /** The set that the session names. Null: everything, also if a set is loaded. Undefined: what is loaded. */
  readonly chosen: string | null | undefined;
}

/** All sets and bindings. Cached, because every listing and call asks for them: no other process writes them. */
export class ToolSets {
  readonly #rows: ToolSetRows;
  #entries: ReadonlyMap<string, ToolSetEntry> = new Map();
  #bindings: readonly SetBinding[] = [];
  /** Differs after every change. */
  version = 0;

  private constructor(rows: ToolSetRows) {
    this.#rows = rows;
  }

  static async open(rows: ToolSetRows): Promise<ToolSets> {
    const sets = new ToolSets(rows);
    await sets.#read();
    return sets;
  }

  list(): readonly ToolSetEntry[] {
    return [...this.#entries.values()];
  }

  get(name: string): ToolSetEntry | undefined {
    return this.#entries.get(name);
  }

  get bindings(): readonly SetBinding[] {
    return this.#bindings;
  }

  /** Null: everything is shown. A binding of the caller wins over what the session names. */
  inForce({ principal, root, chosen }: SetRequest): SetInForce | null {
    const bound = this.#boundTo(principal);
    if (bound !== undefined) return this.#found(bound.set, 'binding');
    if (chosen === null) return null;
    if (chosen !== undefined) return this.#found(chosen, 'session');
    const workspace = this.#bindings
      .filter((it) => it.kind === 'workspace' && isInside(root, it.subject))
      .sort((a, b) => b.subject.length - a.subject.length)[0];
    if (workspace !== undefined) return this.#found(workspace.set, 'workspace');
    const everyone = this.#bindings.find((it) => it.kind === 'everyone');
    return everyone === undefined ? null : this.#found(everyone.set, 'everyone');
  }

  async put(set: ToolSet, by: string): Promise<void> {
    await this.#change(() => this.#rows.put(set.name, canonicalJson(set as unknown as Json), by));
  }

  async remove(name: string): Promise<void> {
    await this.#change(() => this.#rows.remove(name));
  }

  async bind(binding: SetBinding, by: string): Promise<void> {
    await this.#change(() => this.#rows.bind(binding, by));
  }

  async unbind(binding: Pick<SetBinding, 'kind' | 'subject'>): Promise<void> {
    await this.#change(() => this.#rows.unbind(binding));
  }

  /**
   * A token that the server had to give another principal, because a token of its own has that name, is still bound: its
   * principal then continues with `#`.
   */
  #boundTo(principal: string): SetBinding | undefined {
    const name = principal.split('#')[0];
    const ofTokens = this.#bindings.filter((it) => it.kind === 'token' || it.kind === 'client');
    return (
      ofTokens.find((it) => it.subject === principal) ??
      this.#bindings.find((it) => it.kind === 'principal' && it.subject === principal) ??
      ofTokens.find((it) => it.kind === 'token' && it.subject === name)
    );
  }

  #found(name: string, source: SetInForce['source']): SetInForce {
    const entry = this.#entries.get(name);
    return { name, source, digest: entry?.digest ?? '', set: entry?.set ?? null };
  }

  async #change(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } finally {
      await this.#read();
    }
  }

  async #read(): Promise<void> {
    const [rows, bindings] = [await this.#rows.list(), await this.#rows.bindings()];
    const entries = rows.map(({ name, content, saved_at, saved_by }): [string, ToolSetEntry] => {
      const read = readToolSet(tryParseStored(content));
      const set = 'set' in read && read.set.name === name ? read.set : null;
      const used = bindings.filter((it) => it.set === name);
      const digest = set === null ? '' : setDigest(set);
      return [name, { name, digest, set, bindings: used, savedAt: saved_at, savedBy: saved_by }];
    });
    this.#entries = new Map(entries);
    this.#bindings = bindings;
    this.version++;
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
