// A store in PostgreSQL that cannot be used: it stops with the reason, and goes on when the database is back.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAuditTail } from '../../../src/store/audit-entries.js';
import { AuditLog } from '../../../src/store/audit-log.js';
import { InstallationRows } from '../../../src/store/installations.js';
import { KillRows } from '../../../src/store/kills.js';
import { LimitLedger } from '../../../src/store/limit-ledger.js';
import { migrations } from '../../../src/store/migrations.js';
import { openPostgres, type PostgresDatabase } from '../../../src/store/postgres/postgres-database.js';
import { postgresScript } from '../../../src/store/postgres/postgres-script.js';
import { postgresPlace } from '../../../src/store/postgres/postgres-url.js';
import { newDatabase, noPostgres, type Postgres, startPostgres } from '../../support/postgres.js';

const password = ['correct', 'horse', 'p%40ss/word'].join(' ');
const intent = (callId: string) => ({ kind: 'intent', body: { callId } }) as const;

describe.skipIf(noPostgres !== '')(`PostgreSQL with a password${noPostgres}`, () => {
  let postgres: Postgres;
  let databases = 0;
  beforeAll(async () => {
    postgres = await startPostgres({ password });
  });
  afterAll(() => postgres?.close());

  const withPassword = (url: string) =>
    Object.assign(new URL(url), { password: encodeURIComponent(password) }).href;
  const emptyDatabase = async () =>
    withoutPassword(await newDatabase({ url: withPassword(postgres.url) }, `store${databases++}`));
  const withoutPassword = (url: string) => Object.assign(new URL(url), { password: '' }).href;
  const withStore = async (work: (database: PostgresDatabase, url: string) => Promise<void>) => {
    const url = await emptyDatabase();
    const database = await openPostgres(postgresPlace(url, password));
    try {
      await work(database, url);
    } finally {
      await database.destroy();
    }
  };
  const asOwner = async (url: string, statement: string) => {
    const client = new pg.Client({ connectionString: withPassword(url) });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const failure = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (it: unknown) => it,
    );
    expect(error).toMatchObject({ code: 'state_unusable', hint: expect.any(String) });
    // Neither the message nor what it was made of has the password.
    const shown = [error, (error as { cause?: unknown }).cause].map(
      (it) => `${it} ${JSON.stringify(it, Object.getOwnPropertyNames(it ?? {}))}`,
    );
    for (const secret of [password, encodeURIComponent(password)]) expect(shown.join()).not.toContain(secret);
    return (error as Error).message;
  };

  test('a wrong or missing password, a database that does not exist and a wrong address are named', async () => {
    const { host } = new URL(postgres.url);
    const url = await emptyDatabase();
    expect(await failure(openPostgres(postgresPlace(url, 'wrong')))).toMatch(
      `the database at ${host}${new URL(url).pathname} rejects the user or its password`,
    );
    expect(await failure(openPostgres(postgresPlace(url, undefined)))).toMatch(/cannot be used: .*password/);
    const missing = new URL('/missing', postgres.url).href;
    expect(await failure(openPostgres(postgresPlace(missing, password)))).toMatch(/\/missing does not exist/);
    const nobody = 'postgres://test@127.0.0.1:1/test';
    expect(await failure(openPostgres(postgresPlace(nobody, password)))).toMatch(
      /127.0.0.1:1\/test does not answer/,
    );
  });

  test('a database of a newer version is rejected, and one that loses commits', async () => {
    await withStore(async (_, url) => {
      const open = () => openPostgres(postgresPlace(url, password));
      const name = new URL(url).pathname.slice(1);
      await asOwner(url, `alter database ${name} set synchronous_commit = off`);
      expect(await failure(open())).toMatch(/loses commits at a power loss/);
      await asOwner(url, `alter database ${name} reset synchronous_commit`);
      await (await open()).destroy();
      await asOwner(url, 'update toolwharf_store set version = 999');
      expect(await failure(open())).toMatch(/was written by a newer Toolwharf/);
    });
  });

  test('a database of an earlier version is migrated with its rows', async () => {
    const url = await emptyDatabase();
    const version = migrations.findIndex((it) => it.includes('json_array'));
    for (const script of migrations.slice(0, version)) await asOwner(url, postgresScript(script));
    await asOwner(
      url,
      `create table toolwharf_store (one smallint primary key check (one = 1), version bigint not null);
       insert into toolwharf_store values (1, ${version});
       insert into generation values ('pack', 1, '1', 'npm:pack', '{}', 't', 'm', 'd', 'p', '{}', '[]', '[]', '[]', '{}', '{}', 1, 'me');
       insert into installation values ('pack', 1, 'active', '/a "b"', 1);`,
    );
    const database = await openPostgres(postgresPlace(url, password));
    try {
      const rows = new InstallationRows(database, Date.now);
      expect(await rows.list()).toMatchObject([{ package: 'pack', roots: ['/a "b"'] }]);
      expect(await rows.generation('pack', 1)).toMatchObject({ trial: null, createdBy: 'me' });
    } finally {
      await database.destroy();
    }
  });

  test('of several hosts that open an empty database at once, one makes the tables', async () => {
    const place = postgresPlace(await emptyDatabase(), password);
    const opened = await Promise.all(Array.from({ length: 4 }, () => openPostgres(place)));
    await new KillRows(opened[0] as PostgresDatabase).add({ target: 'all', at: 1, by: 'me' });
    expect(await new KillRows(opened[3] as PostgresDatabase).list()).toHaveLength(1);
    for (const it of opened) await it.destroy();
  });

  test('of two hundred calls from four hosts at once with a limit of ten, exactly ten pass', async () => {
    const place = postgresPlace(await emptyDatabase(), password);
    const hosts: PostgresDatabase[] = [];
    for (let index = 0; index < 4; index++) hosts.push(await openPostgres(place));
    const meter = {
      principal: 'p',
      tool: 'a/b',
      kind: 'calls',
      windowMs: 3_600_000,
      max: 10,
      amount: 1,
    } as const;
    const other = { ...meter, tool: 'a/c', max: 1000 };
    // The order of the limits of a call differs: hosts must not wait for each other.
    const ledgers = hosts.map((it) => new LimitLedger(it, { now: Date.now, ticks: () => 0 }));
    const results = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const ledger = ledgers[index % 4] as LimitLedger;
        // One batch per call, so that the batches of the hosts overlap.
        await new Promise((resolve) => setImmediate(resolve));
        return ledger.reserve(index % 2 === 0 ? [meter, other] : [other, meter]);
      }),
    );
    expect(results.filter((it) => it.kind === 'taken')).toHaveLength(10);
    expect((await (ledgers[0] as LimitLedger).read([meter, other])).map((it) => it.used)).toEqual([10, 10]);
    for (const it of hosts) await it.destroy();
  });

  test('no entry is accepted while the database is away, and the log goes on when it is back', async () => {
    await withStore(async (database) => {
      const log = new AuditLog(database, Date.now);
      const kills = new KillRows(database);
      const ledger = new LimitLedger(database, { now: Date.now, ticks: () => 0 });
      const meter = {
        principal: 'p',
        tool: 'a/b',
        kind: 'calls',
        windowMs: 3_600_000,
        max: 2,
        amount: 1,
      } as const;
      await log.append(intent('a'));
      expect((await ledger.reserve([meter])).kind).toBe('taken');
      await kills.list();
      await postgres.stop();
      try {
        expect(await failure(log.append(intent('b')))).toMatch(/does not answer|cannot be used/);
        expect(() => log.enqueue(intent('c'))).toThrow(/database/);
        expect(await failure(kills.add({ target: 'all', at: 1, by: 'me' }))).toMatch(
          /does not answer|cannot be used/,
        );
        expect(await failure(ledger.reserve([meter]))).toMatch(/does not answer|cannot be used/);
      } finally {
        await postgres.start();
      }
      await log.append(intent('d'));
      log.enqueue(intent('e'));
      await log.flush();
      const entries = await readAuditTail(database, 10);
      expect(entries.map((it) => JSON.parse(it.body).callId)).toEqual(['a', 'd', 'e']);
      expect(await kills.list()).toEqual([]);
      expect((await ledger.reserve([meter])).kind).toBe('taken');
      expect((await ledger.reserve([meter])).kind).toBe('full');
    });
  });

  test('a connection that ends in the middle of a transaction leaves nothing behind', async () => {
    await withStore(async (database, url) => {
      const broken = database.transaction().execute(async (transaction) => {
        await transaction.insertInto('kill').values({ target: 'all', at: 1, by: 'me' }).execute();
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
        await asOwner(url, `select pg_terminate_backend(${rows[0]?.pid})`);
        await transaction.insertInto('kill').values({ target: 'b', at: 1, by: 'me' }).execute();
      });
      await failure(broken);
      expect(await new KillRows(database).list()).toEqual([]);
    });
  });

  test('a read-only database and a full disk reject every entry, and say so', async () => {
    await withStore(async (database, url) => {
      const log = new AuditLog(database, Date.now);
      await log.append(intent('a'));
      await asOwner(
        url,
        `create function full_disk() returns trigger language plpgsql as
         $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
         create trigger full_disk before insert on audit execute function full_disk();`,
      );
      expect(await failure(log.append(intent('b')))).toMatch(/has no disk space left/);
      await asOwner(url, 'drop trigger full_disk on audit');
      await log.append(intent('c'));
      const name = new URL(url).pathname.slice(1);
      await asOwner(url, `alter database ${name} set default_transaction_read_only = on`);
      const readOnly = await openPostgres(postgresPlace(url, password));
      try {
        expect(await failure(new AuditLog(readOnly, Date.now).append(intent('d')))).toMatch(/is read-only/);
      } finally {
        await readOnly.destroy();
      }
      expect((await readAuditTail(database, 10)).map((it) => it.seq)).toEqual([1, 2]);
    });
  });

  test('a text that PostgreSQL cannot store is rejected, not changed', async () => {
    await withStore(async (database) => {
      const kills = new KillRows(database);
      expect(await failure(kills.add({ target: 'a\u0000b', at: 1, by: 'me' }))).toMatch(
        /cannot store a text/,
      );
      expect(await kills.list()).toEqual([]);
    });
  });
});
