/** A session that uses packages now. */
export interface OpenSession {
  readonly id: string;
  readonly principal: string;
  /** Id of the key of a stdio client, or what names one client of the principal; empty if there is only one. */
  readonly client: string;
  /** The workspace: an absolute path. */
  readonly root: string;
  /** The set whose tools it shows; null: everything. */
  readonly set: string | null;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** When its newest call ended; null if it has not called anything. */
  readonly lastCallAt: number | null;
  readonly calls: number;
}

interface Entering extends Pick<OpenSession, 'id' | 'principal' | 'client' | 'root'> {
  /** Looks up the set that is in force. */
  readonly set: () => { readonly name: string } | null;
}

/** What a session tells about itself while it is open. */
export interface EnteredSession {
  noteCall(): void;
  leave(): void;
}

/** All sessions that use packages, oldest first. */
export class OpenSessions {
  readonly #sessions = new Map<
    string,
    { readonly entering: Entering; openedAt: number; lastCallAt: number | null; calls: number }
  >();
  readonly #now: () => number;
  readonly #onChange: () => void;

  /** `onChange`: called when a session was opened or closed. */
  constructor(now: () => number, onChange: () => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  enter(entering: Entering): EnteredSession {
    const entry = { entering, openedAt: this.#now(), lastCallAt: null as number | null, calls: 0 };
    this.#sessions.set(entering.id, entry);
    this.#onChange();
    return {
      noteCall: () => {
        entry.calls++;
        entry.lastCallAt = this.#now();
      },
      leave: () => {
        if (this.#sessions.delete(entering.id)) this.#onChange();
      },
    };
  }

  list(): readonly OpenSession[] {
    return [...this.#sessions.values()].map(
      ({ entering: { id, principal, client, root, set }, ...rest }) => ({
        ...{ id, principal, client, root },
        set: set()?.name ?? null,
        ...rest,
      }),
    );
  }
}
