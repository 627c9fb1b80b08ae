import type { AuditDurability } from '../../model/audit-durability.js';
import { HostError } from '../../model/host-error.js';
import { type AuditHead, HeadReading, namelessLog } from '../audit-head.js';
import {
  findingsOf,
  type LogName,
  logNamesOf,
  type RollbackRow,
  type StoredRollback,
} from '../audit-rollback.js';
import type { AuditBatch, AuditPage, AuditRow, AuditStatements, HeadOptions } from '../audit-statements.js';
import type { AuditTable, AuditTreeTable } from '../state-tables.js';
import type { PostgresPool } from './postgres-pool.js';
import { storeAddition } from './postgres-sealed-rows.js';

const columns = 'seq, at, kind, body, previous, hash';
const hashesPerPage = 5000;
/** SQLSTATE of a key that exists. */
const exists = '23505';

const insertion = `insert into audit (${columns})
  select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`;

export class PostgresAudit implements AuditStatements {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Every commit is on disk when it returns, whatever the durability is. */
  async append(
    _durability: AuditDurability,
    head: AuditHead | undefined,
    build: (head: AuditHead) => AuditBatch,
  ): Promise<void> {
    const { rows, additions } = build(head ?? (await this.head()));
    try {
      // One statement is a transaction by itself, and waits for the database once.
      if (additions.length === 0) await this.#pool.run(insertion, columnsOf(rows));
      else
        await this.#pool.transaction(async (client) => {
          for (const it of additions) await storeAddition(client, it);
          await client.query(insertion, columnsOf(rows));
        });
    } catch (error) {
      const { code, table } = error as { code?: unknown; table?: unknown };
      if (code !== exists || table !== 'audit') throw error;
      throw new HostError('state_locked', 'another host wrote to the audit log of this database', {
        cause: error,
        hint: 'only one host may use a database; end the other one, then start this one again',
      });
    }
  }

  async begin(newLogName: () => string): Promise<{ readonly log: string; readonly checkpoint: number }> {
    const known = await this.#tree();
    if (known !== undefined) return known;
    if ((await this.newest()) > 0) throw namelessLog();
    const row = { log: newLogName(), checkpoint: 0 };
    await this.#pool.run("insert into audit_tree (one, log, checkpoint, edge) values (1, $1, 0, ''::bytea)", [
      row.log,
    ]);
    return row;
  }

  async head({ rebuild = false, visit }: HeadOptions = {}): Promise<AuditHead> {
    const reading = new HeadReading(rebuild ? undefined : await this.#tree(), visit);
    let after = reading.start;
    for (;;) {
      const page = await this.hashesAfter(after);
      for (const it of page) reading.add(it);
      if (page.length < hashesPerPage) return reading.end();
      after = page.at(-1)?.seq ?? after;
    }
  }

  hashesAfter(seq: number): Promise<readonly { readonly seq: number; readonly hash: string }[]> {
    const sql = 'select seq, hash from audit where seq > $1 order by seq limit $2';
    return this.#pool.run(sql, [seq, hashesPerPage]);
  }

  async rollbacks(): Promise<readonly StoredRollback[]> {
    return findingsOf(await this.#rollbackRows());
  }

  async logNames(first: string): Promise<readonly LogName[]> {
    return logNamesOf(await this.#rollbackRows(), first);
  }

  async newest(): Promise<number> {
    const [row] = await this.#pool.run<{ seq: number }>('select coalesce(max(seq), 0) as seq from audit');
    return row?.seq ?? 0;
  }

  page({ after, limit, where }: AuditPage): Promise<readonly AuditTable[]> {
    const wanted =
      'kinds' in where
        ? 'kind = any($3::text[])'
        : 'exists (select from unnest($3::text[]) wanted where position(wanted in body) > 0)';
    const sql = `select ${columns} from audit where seq > $1 and ${wanted} order by seq limit $2`;
    return this.#pool.run(sql, [after, limit, 'kinds' in where ? where.kinds : where.texts]);
  }

  async principals(newestEntries: number): Promise<readonly string[]> {
    // PostgreSQL reads no JSON with the character U+0000. Bodies are canonical JSON, so the member can be found as text.
    const rows = await this.#pool.run<{ name: string | null }>(
      `select distinct substring(body from '"principal":("(?:[^"\\\\]|\\\\.)*")') as name from audit
       where seq > (select coalesce(max(seq), 0) from audit) - $1::bigint`,
      [newestEntries],
    );
    return rows.flatMap(({ name }) => (name === null ? [] : [JSON.parse(name) as string]));
  }

  operationsOn(packageId: string, limit: number): Promise<readonly AuditTable[]> {
    return this.#pool.run(
      `select ${columns} from audit where kind = 'operator' and position($1 in body) > 0 order by seq desc limit $2`,
      [`"package":${JSON.stringify(packageId)}`, limit],
    );
  }

  async #tree(): Promise<Pick<AuditTreeTable, 'log' | 'checkpoint' | 'edge'> | undefined> {
    const [row] = await this.#pool.run<AuditTreeTable>('select log, checkpoint, edge from audit_tree');
    return row;
  }

  #rollbackRows(): Promise<readonly RollbackRow[]> {
    return this.#pool.run("select seq, at, body from audit where kind = 'rollback' order by seq");
  }
}

/** One list per column. */
function columnsOf(rows: readonly AuditRow[]): readonly (readonly (string | number)[])[] {
  return [0, 1, 2, 3, 4, 5].map((column) => rows.map((it) => it[column] as string | number));
}
