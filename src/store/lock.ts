import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import { openSqlite } from './sqlite.js';

export interface StateLock {
  release(): void;
}

/**
 * Makes this process the only host of a state directory. The lock is an open exclusive transaction, so the
 * operating system drops it with the process, however that ends: there is no stale lock to clean up.
 */
export function lockState(state: string): StateLock {
  const path = join(state, 'lock.db');
  const note = join(state, 'lock.pid');
  let connection: ReturnType<typeof openSqlite>;
  try {
    connection = openSqlite(path);
  } catch (error) {
    throw new HostError('state_unusable', `the state directory ${state} cannot be used`, {
      cause: error,
      hint: 'check that it is yours and writable, or name another one with --state',
    });
  }
  try {
    chmodSync(path, 0o600);
    connection.exec('pragma busy_timeout = 0; pragma journal_mode = delete;');
    connection.exec('begin exclusive');
  } catch (error) {
    connection.close();
    if (!isBusy(error)) {
      throw new HostError('state_unusable', `the lock in ${state} cannot be used`, {
        cause: error,
        hint: 'if no Toolwharf is running, remove lock.db there',
      });
    }
    const holder = readHolder(note);
    throw new HostError(
      'state_locked',
      `another Toolwharf${holder === null ? '' : ` (process ${holder})`} is using ${state}`,
      {
        cause: error,
        hint: `wait until it is done (one in the background ends a minute after its last client)${holder === null ? '' : `, end it with "kill ${holder}"`}, or name another state directory with --state`,
      },
    );
  }
  writeFileSync(note, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      connection.close();
    },
  };
}

/** SQLite's number for "somebody else has it" is 5; the libraries spell it differently. */
function isBusy(error: unknown): boolean {
  const { code, errcode, rawCode } = error as { code?: unknown; errcode?: unknown; rawCode?: unknown };
  return code === 'SQLITE_BUSY' || errcode === 5 || rawCode === 5;
}

function readHolder(note: string): number | null {
  try {
    const holder = Number.parseInt(readFileSync(note, 'utf8'), 10);
    return Number.isInteger(holder) ? holder : null;
  } catch {
    return null;
  }
}
