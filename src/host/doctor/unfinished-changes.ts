import { join } from 'node:path';
import { databaseFile } from '../../store/database.js';
import { openSqlite } from '../../store/sqlite.js';
import type { Check } from '../host.js';

/** How many of the last audit entries are searched for the reason. */
const searchedEntries = 5000;

/**
 * Changes of installations that a killed host did not finish. `hasHost`: a host is running, so only those count that it
 * tried to undo and could not; others may be under way.
 */
export function checkUnfinishedChanges(state: string, hasHost: boolean): readonly Check[] {
  const connection = openSqlite(join(state, databaseFile));
  try {
    connection.exec('pragma busy_timeout = 2000; pragma query_only = on;');
    const rows = connection.all('select package, operation, at from change_journal order by at', []);
    if (rows.length === 0) return [];
    const tried = connection
      .all(
        `select at, body from audit where kind = 'operator' and seq > (select max(seq) from audit) - ? order by seq`,
        [searchedEntries],
      )
      .map(({ at, body }) => ({ at: Date.parse(String(at)), ...(JSON.parse(String(body)) as object) }))
      .filter(isUnsettled);
    return rows.flatMap(({ package: id, operation, at }) => {
      const failed = tried.findLast((it) => it.package === id && it.of === operation && it.at >= Number(at));
      if (failed === undefined && hasHost) return [];
      return [unfinished(String(id), String(operation), failed?.reason)];
    });
  } finally {
    connection.close();
  }
}

interface UnsettledEntry {
  readonly at: number;
  readonly package: string;
  readonly of: string;
  readonly reason: string;
}

function isUnsettled(entry: object): entry is UnsettledEntry {
  return 'operation' in entry && entry.operation === 'unsettled' && 'reason' in entry;
}

function unfinished(packageId: string, operation: string, reason: string | undefined): Check {
  const what = packageId === '' ? operation : `${operation} of ${packageId}`;
  const base = { id: 'changes', status: 'warn', fix: 'toolwharf gc' } as const;
  if (reason === undefined)
    return { ...base, message: `an unfinished change (${what}) is left; the next start of a host undoes it` };
  return {
    ...base,
    message: `an unfinished change (${what}) could not be undone: ${reason}; remove the cause, then start a host again`,
  };
}
