import { HostError } from '../../model/host-error.js';
import { assertNotNewer, migrations } from '../migrations.js';
import type { PostgresClient, PostgresPool } from './postgres-pool.js';
import { postgresScript } from './postgres-script.js';
import { reserveFunction } from './reserve-function.js';

/** Any number; the same for all hosts of one database. The lock ends with its transaction. */
const migrationLock = 7_061_189;

const own = `create table toolwharf_store (
  one smallint primary key check (one = 1),
  version bigint not null
);
insert into toolwharf_store (one, version) values (1, 0);`;

/** Creates the tables, or migrates them to the newest version, in one transaction. */
export async function migratePostgres(pool: PostgresPool, place: string): Promise<void> {
  await assertUsable(pool, place);
  if ((await versionOf(pool, place)) === migrations.length) return;
  await pool.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    if (!(await isKnown(client))) await client.query(own);
    // Another process may have migrated it in the meantime.
    const current = await storedVersion(client, place);
    for (const step of migrations.slice(current)) await client.query(postgresScript(step));
    await client.query(reserveFunction);
    await client.query('update toolwharf_store set version = $1', [migrations.length]);
  });
}

/** A commit must be on disk when it returns, and texts must be stored as they are. */
async function assertUsable(pool: PostgresPool, place: string): Promise<void> {
  const [found] = await pool.run<{ encoding: string; commit: string }>(
    "select current_setting('server_encoding') as encoding, current_setting('synchronous_commit') as commit",
  );
  if (found?.encoding !== 'UTF8')
    throw new HostError('state_unusable', `the database at ${place} does not use UTF8`, {
      hint: 'create it with: createdb --encoding=UTF8 --template=template0 NAME',
    });
  if (found.commit === 'off')
    throw new HostError(
      'state_unusable',
      `the database at ${place} loses commits at a power loss: synchronous_commit is off`,
      { hint: 'set it for this database: alter database NAME set synchronous_commit = on' },
    );
}

async function versionOf(pool: PostgresPool, place: string): Promise<number> {
  return pool.transaction(async (client) =>
    (await isKnown(client)) ? await storedVersion(client, place) : 0,
  );
}

async function isKnown(client: Pick<PostgresClient, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>(
    "select to_regclass('toolwharf_store') is not null as known",
  );
  return rows[0]?.known === true;
}

async function storedVersion(client: Pick<PostgresClient, 'query'>, place: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>('select version from toolwharf_store');
  const version = rows[0]?.version ?? 0;
  assertNotNewer(version, `the database at ${place}`, 'use another database');
  return version;
}
