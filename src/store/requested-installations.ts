import type { RequestedInstallation, RequestedInstallationState } from '../model/requested-installation.js';
import type { Database } from './database.js';
import type { RequestedInstallationTable } from './installation-tables.js';

/** How long ended requests are kept. */
const retentionMs = 7 * 86_400_000;

export interface RequestCounts {
  /** Waiting requests of the principal, and of all. */
  readonly waiting: number;
  readonly waitingOfAll: number;
  /** Requests of the principal since a time. */
  readonly recent: number;
}

/** Packages that agents asked for. Every change of a state is one compare-and-set statement. */
export class RequestedInstallations {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async add({ decision: _, installed: __, ...it }: RequestedInstallation): Promise<void> {
    const { id, source, reason, seenIn, principal, client, root, state } = it;
    await this.#database
      .insertInto('requested_installation')
      .values({
        ...{ id, source, reason, seen_in: seenIn, principal, client, root, state },
        ...{ created_at: it.createdAt, expires_at: it.expiresAt },
        ...{ decided_at: null, decided_by: null, note: null, package: null, plan: null },
      })
      .execute();
  }

  /** Oldest first. */
  async list(states: readonly RequestedInstallationState[]): Promise<readonly RequestedInstallation[]> {
    await this.#expire();
    const rows = await this.#database
      .selectFrom('requested_installation')
      .selectAll()
      .where('state', 'in', [...states])
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(fromRow);
  }

  async get(id: string): Promise<RequestedInstallation | undefined> {
    await this.#expire();
    const row = await this.#database
      .selectFrom('requested_installation')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && fromRow(row);
  }

  /** The last request of this principal for this source. */
  async newest(principal: string, source: string): Promise<RequestedInstallation | undefined> {
    await this.#expire();
    const row = await this.#database
      .selectFrom('requested_installation')
      .selectAll()
      .where('principal', '=', principal)
      .where('source', '=', source)
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
    return row && fromRow(row);
  }

  async counts(principal: string, since: number): Promise<RequestCounts> {
    const rows = await this.#database
      .selectFrom('requested_installation')
      .select(['principal', 'state', 'created_at'])
      .where((it) => it.or([it('state', '=', 'waiting'), it('principal', '=', principal)]))
      .execute();
    const waiting = rows.filter((it) => it.state === 'waiting');
    const own = rows.filter((it) => it.principal === principal);
    return {
      waiting: waiting.filter((it) => it.principal === principal).length,
      waitingOfAll: waiting.length,
      recent: own.filter((it) => it.created_at > since).length,
    };
  }

  /** False if the request does not wait any more. */
  async refuse(id: string, by: string, note: string): Promise<boolean> {
    return this.#end(id, { state: 'refused', decided_by: by, note });
  }

  /** False if the request does not wait any more. */
  async finish(
    id: string,
    by: string,
    installed: { readonly package: string; readonly plan: string },
  ): Promise<boolean> {
    return this.#end(id, { state: 'installed', decided_by: by, note: '', ...installed });
  }

  async #end(
    id: string,
    change: Partial<RequestedInstallationTable> & { readonly state: RequestedInstallationState },
  ): Promise<boolean> {
    const now = this.#now();
    const result = await this.#database
      .updateTable('requested_installation')
      .set({ ...change, decided_at: now })
      .where('id', '=', id)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  async #expire(): Promise<void> {
    const now = this.#now();
    await this.#database
      .updateTable('requested_installation')
      .set({ state: 'expired' })
      .where('state', '=', 'waiting')
      .where('expires_at', '<=', now)
      .execute();
    await this.#database
      .deleteFrom('requested_installation')
      .where('state', '!=', 'waiting')
      .where('expires_at', '<=', now - retentionMs)
      .execute();
  }
}

function fromRow(row: RequestedInstallationTable): RequestedInstallation {
  const { id, source, reason, principal, client, root } = row;
  return {
    ...{ id, source, reason, seenIn: row.seen_in, principal, client, root },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    state: row.state as RequestedInstallationState,
    decision:
      row.decided_by === null ? null : { by: row.decided_by, at: row.decided_at ?? 0, note: row.note ?? '' },
    installed: row.package === null || row.plan === null ? null : { package: row.package, plan: row.plan },
  };
}
