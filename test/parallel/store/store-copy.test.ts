// "toolwharf store copy": all tables of a state directory, or nothing, into an empty PostgreSQL database.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuditLog } from '../../../src/store/audit-log.js';
import { openPostgres } from '../../../src/store/postgres/postgres-database.js';
import { postgresPlace } from '../../../src/store/postgres/postgres-url.js';
import { openSqlite, type SqliteConnection, type SqlValue } from '../../../src/store/sqlite/sqlite.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { lockState } from '../../../src/store/sqlite/state-lock.js';
import { copyStore } from '../../../src/store/store-copy.js';
import { documentIn } from '../../support/json-documents.js';
import { newDatabase, noPostgres, type Postgres, startPostgres } from '../../support/postgres.js';
import { temporaryFolder, toolwharf } from '../../support/toolwharf.js';

const password = ['kept', 'out', 'of', 'sight %2F'].join('-');
/** More than two pages. */
const manyRows = 1100;
/** Tables that are made again. */
const notCopied = ['parse_cache'];
/** Tables with one row. */
const single = ['audit_tree', 'operator_pin', 'limit_clock'];

// Each test fills a state directory and runs commands.
vi.setConfig({ testTimeout: 120_000 });

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

function tablesOf(connection: SqliteConnection): readonly string[] {
  const rows = connection.all("select name from sqlite_master where type = 'table' order by name", []);
  return rows.map((it) => String(it.name));
}

/** A value for a column that differs for each row, with what is easily lost: zero bytes, fractions, all kinds of characters. */
function valueFor(type: string, column: string, row: number): SqlValue {
  if (type === 'INTEGER') return row * 7 + 2 ** 50;
  if (type === 'REAL') return row + 0.1;
  if (type === 'BLOB') return new Uint8Array([row, 0, 255, 128]);
  return `${column} ${row} ä😀\uffee '";\\ \n\t`;
}

/** Rows in every table. Columns that may be null are null in every second row. */
function fill(connection: SqliteConnection): void {
  connection.exec('pragma foreign_keys = off');
  for (const table of tablesOf(connection)) {
    if (table === 'audit') continue;
    const columns = connection.all(`pragma table_info(${table})`, []);
    const count = single.includes(table) ? 1 : table === 'limit_use' ? manyRows : 3;
    for (let row = 0; row < count; row++) {
      const values = columns.map((it): SqlValue => {
        const name = String(it.name);
        if (single.includes(table) && Number(it.pk) === 1) return 1;
        // Rows of one limit, which differ only in the last column of their key.
        if (table === 'limit_use' && name !== 'at' && name !== 'used')
          return valueFor(String(it.type), name, row % 2);
        return Number(it.notnull) === 0 && Number(it.pk) === 0 && row % 2 === 1
          ? null
          : valueFor(String(it.type), name, row);
      });
      const names = columns.map((it) => `"${it.name}"`).join(', ');
      connection.run(`insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`, values);
    }
  }
}

/** In one form for both databases. */
function plain(row: Readonly<Record<string, unknown>>): string {
  const shown = (value: unknown) =>
    value instanceof Uint8Array || value instanceof ArrayBuffer
      ? Buffer.from(new Uint8Array(value)).toString('hex')
      : value === null
        ? null
        : String(value);
  return JSON.stringify(
    Object.entries(row)
      .map(([name, value]) => [name, shown(value)])
      .sort(),
  );
}

const sorted = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(plain).sort();

describe.skipIf(noPostgres !== '')(`a copy of a state directory${noPostgres}`, () => {
  let postgres: Postgres;
  let databases = 0;
  let url = '';
  let folder: ReturnType<typeof temporaryFolder>;
  let passwordFile = '';
  const withPassword = (it: string) =>
    Object.assign(new URL(it), { password: encodeURIComponent(password) }).href;

  beforeAll(async () => {
    postgres = await startPostgres({ password });
  });
  afterAll(() => postgres?.close());
  beforeEach(async () => {
    const made = new URL(await newDatabase({ url: withPassword(postgres.url) }, `copy${databases++}`));
    url = Object.assign(made, { password: '' }).href;
    folder = temporaryFolder({ 'password.txt': `${password}\n` });
    passwordFile = join(folder.path, 'password.txt');
    const database = openDatabase(folder.path);
    const log = new AuditLog(database, () => 1_700_000_000_000);
    await Promise.all(
      Array.from({ length: manyRows }, (_, index) =>
        log.append({ kind: 'intent', body: { callId: String(index), text: 'ä\u0000' } }),
      ),
    );
    await log.close();
    await database.destroy();
    const connection = openSqlite(join(folder.path, 'toolwharf.db'));
    fill(connection);
    connection.close();
  });
  afterEach(() => folder.remove());

  const copy = (...more: string[]) =>
    toolwharf([
      'store',
      'copy',
      '--state',
      folder.path,
      '--to',
      url,
      '--password-file',
      passwordFile,
      ...more,
    ]);

  const stored = async (): Promise<Rows> => {
    const client = new pg.Client({ connectionString: withPassword(url) });
    await client.connect();
    try {
      const names = await client.query<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = 'public'",
      );
      const all: Record<string, readonly Record<string, unknown>[]> = {};
      for (const { name } of names.rows) all[name] = (await client.query(`select * from ${name}`)).rows;
      return all;
    } finally {
      await client.end();
    }
  };

  /** The tables are there, and something happens to every row that is inserted into one. */
  const onInsert = async (table: string, statement: string) => {
    await (await openPostgres(postgresPlace(url, password))).destroy();
    const client = new pg.Client({ connectionString: withPassword(url) });
    await client.connect();
    await client.query(
      `create function change() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$;
       create trigger change before insert on ${table} for each row execute function change();`,
    );
    await client.end();
  };

  test('has every row of every table, and the state directory is as it was', async () => {
    const path = join(folder.path, 'toolwharf.db');
    const { code, stdout, stderr } = await copy('--json');
    expect([code, stderr]).toEqual([0, '']);
    const { name, value } = documentIn(stdout);
    expect(name).toBe('store-copy@1');
    const copied = await stored();
    const connection = openSqlite(path);
    let rows = 0;
    const tables = tablesOf(connection);
    for (const table of tables.filter((it) => !notCopied.includes(it))) {
      const before = connection.all(`select * from ${table}`, []);
      expect(before.length, table).toBeGreaterThan(0);
      expect(sorted(copied[table] ?? []), table).toEqual(sorted(before));
      rows += before.length;
    }
    for (const table of notCopied) expect(copied[table], table).toEqual([]);
    connection.close();
    expect(value).toMatchObject({ rows, to: `${new URL(url).host}${new URL(url).pathname}` });
    expect((value.tables as unknown[]).length).toBe(tables.length - notCopied.length);
    expect(value.notCopied).toContain('the key of the vault');
  });

  test('is a state that a store in PostgreSQL continues', async () => {
    expect((await copy()).code).toBe(0);
    const database = await openPostgres(postgresPlace(url, password));
    try {
      expect((await database.audit.head({ rebuild: true })).seq).toBe(manyRows);
      const log = new AuditLog(database, () => 1_700_000_000_001);
      await log.append({ kind: 'intent', body: { callId: 'next' } });
      expect(await database.audit.newest()).toBe(manyRows + 1);
    } finally {
      await database.destroy();
    }
  });

  test('is refused for a database with rows, and while a host runs; a dry run copies nothing', async () => {
    expect(await copy('--dry-run')).toMatchObject({ code: 0, stdout: expect.stringContaining('would copy') });
    expect(Object.keys(await stored())).toEqual([]);
    const lock = lockState(folder.path);
    const refused = await copy();
    lock.release();
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('another Toolwharf') });
    expect(Object.keys(await stored())).toEqual([]);
    expect((await copy()).code).toBe(0);
    const before = sorted((await stored()).kill ?? []);
    expect(await copy()).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
    expect(sorted((await stored()).kill ?? [])).toEqual(before);
  });

  test('of two copies at once, one is made and the other one is refused', async () => {
    const source = openDatabase(folder.path);
    const targets = await Promise.all([0, 1].map(() => openPostgres(postgresPlace(url, password))));
    const ended = await Promise.allSettled(targets.map((it) => copyStore(source, it, 'here')));
    expect(ended.map((it) => it.status).sort()).toEqual(['fulfilled', 'rejected']);
    const rejected = ended.find((it) => it.status === 'rejected');
    expect(rejected?.reason).toMatchObject({
      code: 'state_unusable',
      message: expect.stringContaining('not empty'),
    });
    for (const it of [source, ...targets]) await it.destroy();
    expect((await stored()).audit).toHaveLength(manyRows);
  });

  test('a row that arrives changed stops the copy, and nothing is left', async () => {
    await onInsert('kill', "new.by := 'somebody'");
    const { code, stderr } = await copy();
    expect([code, stderr]).toEqual([6, expect.stringContaining('the copy of the table kill')]);
    for (const [table, rows] of Object.entries(await stored()))
      if (table !== 'toolwharf_store') expect(rows, table).toEqual([]);
  });

  test('a disk that becomes full stops the copy, and nothing is left', async () => {
    await onInsert('token', "raise exception 'could not extend file' using errcode = '53100'");
    expect(await copy()).toMatchObject({ code: 1, stderr: expect.stringContaining('no disk space left') });
    expect((await stored()).audit).toEqual([]);
  });

  test('the password is in no message, no argument and no output', async () => {
    const shownPlaces: string[] = [];
    const look = ({ pid }: { pid?: number | undefined }) => {
      shownPlaces.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    };
    const base = ['store', 'copy', '--state', folder.path, '--verbose'];
    const wrong = join(folder.path, 'wrong.txt');
    writeFileSync(wrong, `${password}x`);
    const runs = [
      [...base, '--to', url, '--password-file', wrong],
      [...base, '--to', url],
      [...base, '--to', new URL('/missing', url).href, '--password-file', passwordFile],
      [...base, '--to', url, '--password-file', passwordFile],
    ];
    for (const args of runs) {
      const { stdout, stderr } = await toolwharf(args, { during: look });
      shownPlaces.push(stdout, stderr);
    }
    // A password in the URL is rejected before anything is done with it.
    const inUrl = await toolwharf([...base, '--to', withPassword(url)]);
    expect(inUrl).toMatchObject({ code: 2, stderr: expect.stringContaining('contains a password') });
    shownPlaces.push(inUrl.stdout, inUrl.stderr);
    for (const shown of shownPlaces)
      for (const it of [password, encodeURIComponent(password)]) expect(shown).not.toContain(it);
    // The control: such a process list does show arguments.
    expect(shownPlaces[0]).toContain('--password-file');
  });
});
