import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { diskFailure } from './disk-failure.js';
import { openSqlite } from './sqlite.js';

export interface StateLock {
  release(): void;
}

/**
 * Makes this process the only host of a state directory. The lock is an open exclusive transaction. The operating system
 * releases it when the process ends, so there are no stale locks.
 */
export function lockState(state: string): StateLock {
  const path = join(state, 'lock.db');
  const pidFile = join(state, 'lock.pid');
  let connection: ReturnType<typeof openSqlite>;
  try {
    connection = openSqlite(path);
  } catch (error) {
    throw new HostError('state_unusable', `the state directory ${state} cannot be used`, {
      cause: error,
      hint: 'check that you own it and can write to it, or use another one with --state',
    });
  }
  try {
    chmodSync(path, 0o600);
    connection.exec('pragma busy_timeout = 0; pragma journal_mode = delete;');
    connection.exec('begin exclusive');
  } catch (error) {
    connection.close();
    if (error instanceof HostError) throw error;
    if (!isBusy(error)) {
      throw new HostError('state_unusable', `the lock in ${state} cannot be used`, {
        cause: error,
        hint: 'if no Toolwharf is running, delete lock.db in this folder',
      });
    }
    const holder = readHolder(pidFile);
    throw new HostError(
      'state_locked',
      `another Toolwharf${holder === null ? '' : ` (process ${holder})`} is using ${state}`,
      {
        cause: error,
        hint: `wait until it has ended (a background host ends a minute after its last client)${holder === null ? '' : `, end it with "kill ${holder}"`}, or use another state directory with --state`,
      },
    );
  }
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    connection.close();
    throw diskFailure(error, state) ?? error;
  }
  return {
    release() {
      connection.close();
    },
  };
}

/** SQLITE_BUSY is 5. The libraries report it in different fields. */
function isBusy(error: unknown): boolean {
  const { code, errcode, rawCode } = error as { code?: unknown; errcode?: unknown; rawCode?: unknown };
  return code === 'SQLITE_BUSY' || errcode === 5 || rawCode === 5;
}

function readHolder(pidFile: string): number | null {
  try {
    const holder = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    return Number.isInteger(holder) ? holder : null;
  } catch {
    return null;
  }
}
