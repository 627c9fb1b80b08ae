// Which commits wait for the disk, whatever was committed before, and how transactions end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite, type SqliteConnection } from './sqlite.js';
import { SqliteDatabase as Database, openDatabase } from './sqlite-database.js';

let folder: string;
let database: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-store-'));
  database = openDatabase(folder);
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const full = 2;
const normal = 1;
const query = 'pragma synchronous';
const modeOn = (connection: SqliteConnection) => connection.all(query, [])[0]?.synchronous;
const modeIn = async (database: Pick<Database, 'selectFrom'>) => {
  const table = sql<{ synchronous: number }>`pragma_synchronous`.as('mode');
  return (await database.selectFrom(table).selectAll().executeTakeFirst())?.synchronous;
};

test('only what asks for a delayed sync gets one', async () => {
  const delayed = () => database.withDelayedSync(modeOn);
  expect(await delayed()).toBe(normal);
  expect(await database.withConnection(modeOn)).toBe(full);
  expect(await delayed()).toBe(normal);
  expect(await modeIn(database)).toBe(full);
  expect(await delayed()).toBe(normal);
  expect(await database.transaction().execute((it) => modeIn(it))).toBe(full);
  expect(await database.withDelayedTransaction((it) => modeIn(it))).toBe(normal);
  expect(await database.transaction().execute((it) => modeIn(it))).toBe(full);
  // All at once: each has its own.
  expect(
    await Promise.all([delayed(), database.withConnection(modeOn), delayed(), modeIn(database)]),
  ).toEqual([normal, full, normal, full]);
});

test('nothing uses the connection while a transaction is open, and what waits keeps its order', async () => {
  const order: string[] = [];
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let begin: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const transaction = database.transaction().execute(async () => {
    order.push('begun');
    begin();
    await finished;
    order.push('ended');
  });
  await begun;
  const waiting = [
    database.withConnection(() => order.push('first')),
    database.withDelayedSync(() => order.push('second')),
    modeIn(database).then(() => order.push('third')),
  ];
  expect(order).toEqual(['begun']);
  finish();
  await Promise.all([transaction, ...waiting]);
  await database.withConnection(() => order.push('free again'));
  expect(order).toEqual(['begun', 'ended', 'first', 'second', 'third', 'free again']);
});

test('after an error too', async () => {
  await expect(
    database.withDelayedSync(() => {
      throw new Error('no room');
    }),
  ).rejects.toThrow('no room');
  await expect(
    database.withDelayedTransaction(async () => {
      throw new Error('no room');
    }),
  ).rejects.toThrow('no room');
  expect(await database.transaction().execute((it) => modeIn(it))).toBe(full);
});

test('nothing is committed while the mode cannot be set, and the next use sets it again', async () => {
  const real = openSqlite(join(folder, 'other.db'));
  real.exec('pragma journal_mode = wal; create table audit (seq integer)');
  let isBroken = false;
  const exec = (sql: string) => {
    if (isBroken && sql.startsWith('pragma')) throw new Error('EIO');
    real.exec(sql);
  };
  const other = new Database({ ...real, exec }, join(folder, 'other.db'));
  await other.withDelayedSync(() => {});
  isBroken = true;
  const add = () => other.withConnection((it) => it.run('insert into audit values (1)', []));
  await expect(add()).rejects.toThrow('EIO');
  await expect(
    other
      .insertInto('audit')
      .values({ seq: 2 } as never)
      .execute(),
  ).rejects.toThrow('EIO');
  isBroken = false;
  expect(real.all('select seq from audit', [])).toEqual([]);
  await add();
  expect(await other.withConnection(modeOn)).toBe(full);
  await other.destroy();
});

test('a statement that ends its transaction says why, as on a full disk', async () => {
  const insert = sql`insert or rollback into temp.one (a) values (1)`;
  await database.withConnection((it) => it.exec('create temp table one (a integer primary key)'));
  for (const transaction of [
    () => database.transaction().execute(async (it) => [await insert.execute(it), await insert.execute(it)]),
    () => database.withDelayedTransaction(async (it) => [await insert.execute(it), await insert.execute(it)]),
  ])
    await expect(transaction()).rejects.toThrow('UNIQUE constraint failed');
  expect(await database.withConnection((it) => it.all('select a from temp.one', []))).toEqual([]);
});
