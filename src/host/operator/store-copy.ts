import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { openPostgres } from '../../store/postgres/postgres-database.js';
import { type PostgresPlace, postgresPlace } from '../../store/postgres/postgres-url.js';
import { databaseFile, openDatabase } from '../../store/sqlite/sqlite-database.js';
import { lockState } from '../../store/sqlite/state-lock.js';
import { copyStore } from '../../store/store-copy.js';

export interface StoreCopyOptions {
  readonly state: string;
  /** URL of an empty PostgreSQL database, without a password. */
  readonly to: string;
  readonly password: string | undefined;
}

/** A copy that can be made. */
export interface StoreCopy {
  /** Server and database. */
  readonly to: string;
  /** Changes nothing in the state directory. */
  run(): Promise<StoreCopyReport>;
}

export interface StoreCopyReport {
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  /** What stays in the state directory, because it is not in the database. */
  readonly files: readonly string[];
}

const files = [
  'package files and environments',
  'data folders of packages',
  'the key of the vault',
  'checkpoints, anchors and the signing key of the audit log',
  'registry state',
  'quarantined files',
] as const;

/** Checks the URL; connects to nothing. */
export function openStoreCopy({ state, to, password }: StoreCopyOptions): StoreCopy {
  const place = postgresPlace(to, password);
  return { to: place.shown, run: () => copyTo(state, place) };
}

/** Copies the database of a state directory that no host uses. */
async function copyTo(state: string, place: PostgresPlace): Promise<StoreCopyReport> {
  if (!existsSync(join(state, databaseFile)))
    throw new HostError('not_found', `there is no database in ${state}`, {
      hint: 'use the right state directory with --state',
    });
  const lock = lockState(state);
  try {
    const source = openDatabase(state);
    try {
      const target = await openPostgres(place);
      try {
        return { tables: await copyStore(source, target, place.shown), files };
      } finally {
        await target.destroy();
      }
    } finally {
      await source.destroy();
    }
  } finally {
    lock.release();
  }
}
