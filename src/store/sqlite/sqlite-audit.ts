import type { AuditDurability } from '../../model/audit-durability.js';
import { type AuditHead, namelessLog } from '../audit-head.js';
import type { LogName, StoredRollback } from '../audit-rollback.js';
import type { AuditBatch, AuditPage, AuditStatements, HeadOptions } from '../audit-statements.js';
import type { AuditTable } from '../state-tables.js';
import {
  entriesOnPage,
  hasEntries,
  newestSeq,
  readAuditHead,
  readAuditTree,
  readHashes,
  readLogNames,
  readRollbacks,
} from './audit-reading.js';
import { storeAuditBatch } from './audit-rows.js';
import type { ExclusiveUse } from './exclusive-use.js';
import type { SqliteConnection } from './sqlite.js';

export class SqliteAudit implements AuditStatements {
  readonly #database: ExclusiveUse;

  constructor(database: ExclusiveUse) {
    this.#database = database;
  }

  append(
    durability: AuditDurability,
    head: AuditHead | undefined,
    build: (head: AuditHead) => AuditBatch,
  ): Promise<void> {
    const store = (connection: SqliteConnection) =>
      storeAuditBatch(connection, build(head ?? readAuditHead(connection)));
    return durability === 'group'
      ? this.#database.withDelayedSync(store)
      : this.#database.withConnection(store);
  }

  begin(newLogName: () => string): Promise<{ readonly log: string; readonly checkpoint: number }> {
    return this.#database.withConnection((connection) => {
      const known = readAuditTree(connection);
      if (known !== undefined) return known;
      if (hasEntries(connection)) throw namelessLog();
      const row = { log: newLogName(), checkpoint: 0 };
      const sql = "insert into audit_tree (one, log, checkpoint, edge) values (1, ?, 0, x'')";
      connection.run(sql, [row.log]);
      return row;
    });
  }

  head(options?: HeadOptions): Promise<AuditHead> {
    return this.#database.withConnection((it) => readAuditHead(it, options));
  }

  hashesAfter(seq: number): Promise<readonly { readonly seq: number; readonly hash: string }[]> {
    return this.#database.withConnection((it) => readHashes(it, seq));
  }

  rollbacks(): Promise<readonly StoredRollback[]> {
    return this.#database.withConnection(readRollbacks);
  }

  logNames(first: string): Promise<readonly LogName[]> {
    return this.#database.withConnection((it) => readLogNames(it, first));
  }

  newest(): Promise<number> {
    return this.#database.withConnection(newestSeq);
  }

  page(page: AuditPage): Promise<readonly AuditTable[]> {
    return this.#database.withConnection((it) => entriesOnPage(it, page));
  }

  async principals(newestEntries: number): Promise<readonly string[]> {
    const rows = await this.#database.withConnection((connection) =>
      connection.all(
        `select distinct json_extract(body, '$.principal') as principal from audit
         where seq > (select coalesce(max(seq), 0) from audit) - ?`,
        [newestEntries],
      ),
    );
    return rows.flatMap(({ principal }) => (typeof principal === 'string' ? [principal] : []));
  }

  operationsOn(packageId: string, limit: number): Promise<readonly AuditTable[]> {
    // Bodies are canonical JSON, so a member can be found as text.
    const member = `"package":${JSON.stringify(packageId)}`;
    return this.#database.withConnection(
      (connection) =>
        connection.all(
          "select * from audit where kind = 'operator' and instr(body, ?) > 0 order by seq desc limit ?",
          [member, limit],
        ) as unknown as AuditTable[],
    );
  }
}
