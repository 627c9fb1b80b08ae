import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAuditTail, unfinishedCalls } from './audit-entries.js';
import { AuditLog } from './audit-log.js';
import { checkpointPaths } from './checkpoints.js';
import { type Database, openDatabase } from './database.js';
import { openSqlite } from './sqlite.js';
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
    expect((await unfinishedCalls(database)).map((it) => it.callId)).toEqual(['a', 'c']);
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
