import type { Transaction } from 'kysely';
import { HostError } from '../model/host-error.js';
import type { Database } from './database.js';
import type { StateTables } from './state-tables.js';

/** A table with its number of rows. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

type TableName = keyof StateTables;
type Row = Readonly<Record<string, unknown>>;

/**
 * All tables with the columns of their primary keys; rows that others refer to come first. Parsed manifests are left out: they
 * are made again.
 */
const keys: { readonly [Name in TableName]: readonly (keyof StateTables[Name] & string)[] } = {
  audit_tree: ['one'],
  audit: ['seq'],
  audit_anchor: ['place'],
  unknown_outcome: ['call'],
  sealed_arguments: ['call_id'],
  repeatable_call: ['call'],
  approval: ['id'],
  denial: ['approval'],
  standing_rule: ['id'],
  accepted_waiver: ['id'],
  operator_pin: ['one'],
  secret: ['package', 'slot'],
  host_key: ['name'],
  token: ['id'],
  token_principal: ['principal'],
  link: ['folder'],
  broken_when_named: ['manifest'],
  agreement: ['manifest'],
  announcement: ['manifest', 'program'],
  failed_start: ['manifest', 'program'],
  sign_in_request: ['package', 'program'],
  disabled_package: ['package'],
  kill: ['target'],
  limit_use: ['principal', 'tool', 'kind', 'window_ms', 'at'],
  limit_clock: ['id'],
  moved_file: ['id'],
  generation: ['package', 'number'],
  installation: ['package'],
  violation: ['package', 'kind', 'detail'],
  revoked_package: ['package'],
  release_warning: ['name', 'version', 'sha256', 'registry', 'kind'],
  change_journal: ['id'],
  requested_installation: ['id'],
  narrowing: ['package'],
  watched_package: ['package'],
  tool_set: ['name'],
  set_binding: ['kind', 'subject'],
  mcp_task: ['id'],
  label_session: ['id'],
  endorsement: ['id'],
  taint_hold: ['approval'],
};

const tables = Object.keys(keys) as readonly TableName[];
/** Rows that are read and inserted at once. A statement of PostgreSQL has at most 65,535 values. */
const pageSize = 500;

/**
 * Copies all tables into an empty store, and compares every row afterwards. All of it or nothing. Nobody else may use the
 * source. `place`: of the target, for messages.
 */
export async function copyStore(
  source: Database,
  target: Database,
  place: string,
): Promise<readonly CopiedTable[]> {
  return target.transaction().execute(async (transaction) => {
    for (const table of tables)
      if ((await pageOf(transaction, table, undefined, 1)).length > 0) throw notEmpty(place, table);
    for (const table of tables)
      for await (const rows of pagesOf(source, table)) await insert(transaction, table, rows, place);
    const copied: CopiedTable[] = [];
    for (const table of tables)
      copied.push({ table, rows: await compare(source, transaction, table, place) });
    return copied;
  });
}

type Reader = Pick<Transaction<StateTables>, 'selectFrom'>;

/** A row that is there already was inserted by another copy at the same time. */
async function insert(
  transaction: Transaction<StateTables>,
  table: TableName,
  rows: readonly Row[],
  place: string,
): Promise<void> {
  const result = await transaction
    .insertInto(table)
    .values(rows as never)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows !== BigInt(rows.length)) throw notEmpty(place, table);
}

/** Number of rows; throws if one of them differs. */
async function compare(
  source: Database,
  transaction: Transaction<StateTables>,
  table: TableName,
  place: string,
): Promise<number> {
  let count = 0;
  const copies = pagesOf(transaction, table);
  for await (const rows of pagesOf(source, table)) {
    const copied = await copies.next();
    if (copied.done === true || textOf(rows) !== textOf(copied.value)) throw differs(place, table);
    count += rows.length;
  }
  if ((await copies.next()).done !== true) throw differs(place, table);
  return count;
}

/** All rows in the order of their keys. */
async function* pagesOf(reader: Reader, table: TableName): AsyncGenerator<readonly Row[], undefined> {
  let last: Row | undefined;
  for (;;) {
    const rows = await pageOf(reader, table, last, pageSize);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return undefined;
    last = rows.at(-1);
  }
}

async function pageOf(
  reader: Reader,
  table: TableName,
  after: Row | undefined,
  limit: number,
): Promise<readonly Row[]> {
  const columns = keys[table] as readonly string[];
  // The types of Kysely cannot follow a table that is chosen while the program runs.
  let query = reader
    .selectFrom(table as 'audit')
    .selectAll()
    .limit(limit);
  for (const column of columns) query = query.orderBy(column as 'seq');
  if (after !== undefined)
    query = query.where((it) => {
      const equal = (column: string) => it(column as 'seq', '=', after[column] as number);
      return it.or(
        columns.map((column, index) =>
          it.and([...columns.slice(0, index).map(equal), it(column as 'seq', '>', after[column] as number)]),
        ),
      );
    });
  return (await query.execute()).map(withBytes);
}

/** One of the SQLite libraries returns blobs as an ArrayBuffer. */
function withBytes(row: object): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof ArrayBuffer ? new Uint8Array(value) : value,
    ]),
  );
}

/** Equal for equal rows, whatever the order of their columns is. */
function textOf(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.entries(row)
        .map(([name, value]) => [name, value instanceof Uint8Array ? [...value] : value])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    ),
  );
}

function notEmpty(place: string, table: string): HostError {
  return new HostError(
    'state_unusable',
    `the database at ${place} is not empty: the table ${table} has rows`,
    {
      hint: 'name an empty database; nothing was copied',
    },
  );
}

function differs(place: string, table: string): HostError {
  return new HostError('integrity', `the copy of the table ${table} at ${place} differs from what was read`, {
    hint: 'nothing was copied; use an empty database that nothing else writes, then try again',
  });
}
