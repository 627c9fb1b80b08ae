import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readAuditTail, unfinishedCalls } from './audit-entries.js';
import { AuditLog } from './audit-log.js';
import { Checkpoints, checkpointPaths } from './checkpoints.js';
import { openSqlite } from './sqlite/sqlite.js';
import { type SqliteDatabase as Database, openDatabase } from './sqlite/sqlite-database.js';
import { StoredAuditLog } from './stored-audit-log.js';

async function verifyAudit() {
  const stored = StoredAuditLog.open(folder, checkpointPaths(folder));
  return stored.verify().finally(() => stored.close());
}

let folder: string;
let database: Database;
let clock = 1_000_000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-store-'));
  database = openDatabase(folder);
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
});

describe('the audit log', () => {
  test('keeps the order of arrival under load, in few commits', async () => {
    const log = new AuditLog(database, () => clock++);
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        log.append({ kind: 'intent', body: { callId: String(index) } }),
      ),
    );
    const entries = await readAuditTail(database, 1000);
    expect(entries.map((it) => JSON.parse(it.body).callId)).toEqual(
      Array.from({ length: 500 }, (_, index) => String(index)),
    );
    expect(await verifyAudit()).toMatchObject({ ok: true, entries: 500 });
  });

  test('writes queued entries together with the next appended one, or soon by themselves', async () => {
    const log = new AuditLog(database, () => clock++);
    log.enqueue({ kind: 'intent', body: { callId: 'a' } });
    expect(await readAuditTail(database, 10)).toEqual([]);
    await log.append({ kind: 'refusal', body: { callId: 'b' } });
    const written = async () => (await readAuditTail(database, 10)).map((it) => JSON.parse(it.body).callId);
    expect(await written()).toEqual(['a', 'b']);
    log.enqueue({ kind: 'outcome', body: { callId: 'a' } });
    await expect.poll(written).toEqual(['a', 'b', 'a']);
    log.enqueue({ kind: 'intent', body: { callId: 'c' } });
    await log.flush();
    expect(await written()).toEqual(['a', 'b', 'a', 'c']);
    expect(await verifyAudit()).toMatchObject({ ok: true, entries: 4 });
  });

  test('goes on when the entry that it waited for was written meanwhile', async () => {
    const log = new AuditLog(database, () => clock++);
    const first = log.append({ kind: 'refusal', body: { callId: 'a' } });
    // The write that is in progress takes this entry too, before its own time has come.
    log.enqueue({ kind: 'outcome', body: { callId: 'b' } });
    await first;
    await new Promise((resolve) => setTimeout(resolve, 60));
    await log.append({ kind: 'refusal', body: { callId: 'c' } });
    const entries = await readAuditTail(database, 10);
    expect(entries.map((it) => JSON.parse(it.body).callId)).toEqual(['a', 'b', 'c']);
  });

  test('accepts no further entries while a write has failed', async () => {
    const log = new AuditLog(database, () => clock++);
    const { schema } = database;
    await schema.alterTable('audit').renameTo('elsewhere').execute();
    log.enqueue({ kind: 'intent', body: { callId: 'a' } });
    await log.flush();
    expect(() => log.enqueue({ kind: 'intent', body: { callId: 'b' } })).toThrow(/audit/);
    await expect(log.append({ kind: 'intent', body: { callId: 'c' } })).rejects.toThrow(/audit/);
    await schema.alterTable('elsewhere').renameTo('audit').execute();
    // A successful append shows that writing works again.
    await log.append({ kind: 'intent', body: { callId: 'd' } });
    expect(() => log.enqueue({ kind: 'intent', body: { callId: 'e' } })).not.toThrow();
    await log.flush();
  });

  test('syncs an entry of the mode group after its commit, and every other one with it', async () => {
    const log = new AuditLog(database, () => clock++);
    const sync = vi.spyOn(database, 'syncLog');
    const delayed = vi.spyOn(database, 'withDelayedSync');
    await log.append({ kind: 'intent', body: { callId: 'a' } }, 'group');
    // Another process reads it, so the end of this one does not lose it.
    const other = openSqlite(join(folder, 'toolwharf.db'), { readOnly: true });
    expect(other.all('select seq from audit', [])).toHaveLength(1);
    other.close();
    expect([delayed.mock.calls.length, sync.mock.calls.length]).toEqual([1, 0]);
    await expect.poll(() => sync.mock.calls.length).toBe(1);
    await log.append({ kind: 'intent', body: { callId: 'b' } }, 'group');
    await log.append({ kind: 'intent', body: { callId: 'c' } });
    expect(delayed).toHaveBeenCalledTimes(2);
    await Promise.all([
      log.append({ kind: 'intent', body: { callId: 'd' } }, 'group'),
      log.append({ kind: 'intent', body: { callId: 'e' } }),
    ]);
    // One entry that must be on disk puts the whole commit on disk.
    expect(delayed).toHaveBeenCalledTimes(2);
    await log.flush();
    expect(sync).toHaveBeenCalledTimes(1);
    await expect(database.withConnection((it) => it.all('pragma synchronous', []))).resolves.toEqual([
      { synchronous: 2 },
    ]);
  });

  test('a small commit is one statement, with all of its entries or none', async () => {
    const log = new AuditLog(database, () => clock++);
    const statements: string[] = [];
    const { withDelayedSync } = database;
    vi.spyOn(database, 'withDelayedSync').mockImplementation((work) =>
      withDelayedSync.call(database, (connection) => {
        const run: typeof connection.run = (sql, parameters) => {
          statements.push(sql.split(' ', 1)[0] as string);
          return connection.run(sql, parameters);
        };
        return work({ ...connection, run });
      }),
    );
    const appendTwo = (id: string) => {
      log.enqueue({ kind: 'outcome', body: { callId: id } });
      return log.append({ kind: 'intent', body: { callId: id } }, 'group');
    };
    await appendTwo('a');
    expect(statements).toEqual(['insert']);
    // Somebody else wrote the number that the second entry would have.
    await database.withConnection((it) =>
      it.exec("insert into audit (seq, at, kind, body, previous, hash) values (4, '', '', '', '', '')"),
    );
    await expect(appendTwo('b')).rejects.toThrow();
    expect((await readAuditTail(database, 10)).map((it) => it.seq)).toEqual([1, 2, 4]);
  });

  test('accepts nothing any more after a sync in the background failed', async () => {
    const log = new AuditLog(database, () => clock++);
    vi.spyOn(database, 'syncLog').mockRejectedValueOnce(new Error('EIO'));
    await log.append({ kind: 'intent', body: { callId: 'a' } }, 'group');
    await expect(log.flush()).rejects.toMatchObject({ code: 'state_unusable' });
    await expect(log.append({ kind: 'intent', body: { callId: 'b' } })).rejects.toThrow(/no call runs/);
    await expect(log.append({ kind: 'intent', body: { callId: 'c' } }, 'group')).rejects.toThrow(/disk/);
    expect(() => log.enqueue({ kind: 'outcome', body: { callId: 'a' } })).toThrow(/disk/);
    expect(await readAuditTail(database, 10)).toHaveLength(1);
  });

  test('seals only entries that are on disk', async () => {
    const checkpoints = await Checkpoints.open(checkpointPaths(folder));
    const log = new AuditLog(database, () => clock++, { checkpoints, origin: 'toolwharf/x' });
    const order: string[] = [];
    const { write } = checkpoints;
    vi.spyOn(checkpoints, 'write').mockImplementation((it) => {
      order.push(`seal ${it.size}`);
      return write.call(checkpoints, it);
    });
    vi.spyOn(database, 'syncLog').mockImplementation(async () => {
      order.push('sync');
    });
    await log.append({ kind: 'intent', body: { callId: 'a' } }, 'group');
    await log.close();
    expect(order).toEqual(['sync', 'seal 1']);
  });

  test('seals nothing if the sync failed', async () => {
    const checkpoints = await Checkpoints.open(checkpointPaths(folder));
    const log = new AuditLog(database, () => clock++, { checkpoints, origin: 'toolwharf/x' });
    const write = vi.spyOn(checkpoints, 'write');
    vi.spyOn(database, 'syncLog').mockRejectedValue(new Error('EIO'));
    await log.append({ kind: 'intent', body: { callId: 'a' } }, 'group');
    await expect(log.close()).rejects.toMatchObject({ code: 'state_unusable' });
    expect(write).not.toHaveBeenCalled();
  });

  const changes: readonly (readonly [string, string, number])[] = [
    ['a changed body', `update audit set body = '{"callId":"9"}' where seq = 3`, 3],
    ['a changed time', `update audit set at = '2020-01-01T00:00:00.000Z' where seq = 3`, 3],
    ['a changed kind', `update audit set kind = 'outcome' where seq = 1`, 1],
    ['a removed entry', 'delete from audit where seq = 2', 2],
    ['a removed first entry', 'delete from audit where seq = 1', 1],
    [
      'a swap of two entries',
      'update audit set seq = 99 where seq = 2; update audit set seq = 2 where seq = 3; update audit set seq = 3 where seq = 99',
      2,
    ],
    [
      'an inserted entry',
      `insert into audit select 6, at, kind, body, previous, hash from audit where seq = 5`,
      6,
    ],
  ];
  test.each(changes)('%s is detected', async (_name, sql, firstBad) => {
    const log = new AuditLog(database, () => clock++);
    for (let index = 0; index < 5; index++)
      await log.append({ kind: 'intent', body: { callId: String(index) } });
    const other = openSqlite(join(folder, 'toolwharf.db'));
    other.exec(sql);
    other.close();
    expect(await verifyAudit()).toMatchObject({ ok: false, firstBad });
  });

  test('lists the calls without an outcome', async () => {
    const log = new AuditLog(database, () => clock++);
    await log.append({ kind: 'intent', body: { callId: 'old' } });
    await log.append({ kind: 'start', body: {} });
    for (const callId of ['a', 'b', 'c']) await log.append({ kind: 'intent', body: { callId } });
    await log.append({ kind: 'outcome', body: { callId: 'b' } });
    expect((await unfinishedCalls(database)).calls.map((it) => it.callId)).toEqual(['a', 'c']);
  });

  test('reports a failed write', async () => {
    const log = new AuditLog(database, () => clock++);
    const other = openSqlite(join(folder, 'toolwharf.db'));
    other.exec('drop table audit');
    other.close();
    await expect(log.append({ kind: 'intent', body: {} })).rejects.toThrow();
  });
});

test('a database of a newer version is rejected', async () => {
  const other = openSqlite(join(folder, 'toolwharf.db'));
  other.exec('pragma user_version = 999');
  other.close();
  expect(() => openDatabase(folder)).toThrow(expect.objectContaining({ code: 'state_unusable' }));
});
