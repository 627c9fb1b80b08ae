import type { Host, ServedSessionOptions, Session } from '../../../host/host.js';

/** The session of the console: the packages that this host serves, opened at the first use. */
export class ConsoleSession {
  readonly #host: Pick<Host, 'session'>;
  readonly #options: Omit<ServedSessionOptions, 'principal'>;
  #current: Promise<Session> | undefined;
  /** Sessions with earlier settings: their calls may still run. */
  readonly #former: Promise<Session>[] = [];
  #exempt: readonly string[] = [];

  constructor(host: Pick<Host, 'session'>, options: Omit<ServedSessionOptions, 'principal'>) {
    this.#host = host;
    this.#options = options;
  }

  get(): Promise<Session> {
    const { policy } = this.#options;
    const scanExempt = [...new Set([...(policy?.scanExempt ?? []), ...this.#exempt])];
    this.#current ??= this.#host
      .session({
        ...this.#options,
        ...(this.#exempt.length === 0 ? {} : { policy: { ...policy, scanExempt } }),
        ...{ principal: 'console', intent: 'use' },
      })
      .then(typed)
      .catch((error) => {
        this.#current = undefined;
        throw error;
      });
    return this.#current;
  }

  /** Opens it again with these exemptions from the scanner, besides those of the configuration. */
  reopen(exempt: readonly string[]): Promise<Session> {
    if (this.#current !== undefined) this.#former.push(this.#current);
    this.#current = undefined;
    this.#exempt = exempt;
    return this.get();
  }

  async close(): Promise<void> {
    for (const it of [...this.#former, this.#current]) {
      const session = await it?.catch(() => undefined);
      await session?.close();
    }
  }
}

/** A person types the calls of the console. What is explained there is what would be run. */
function typed(session: Session): Session {
  return {
    ...session,
    call: (request) => session.call({ ...request, isTyped: true }),
    explain: (request) => session.explain({ ...request, isTyped: true }),
  };
}
