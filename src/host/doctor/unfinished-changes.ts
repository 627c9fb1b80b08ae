import { storedChanges } from '../../store/sqlite/stored-state.js';
import type { Check } from '../host.js';

/** How many of the last audit entries are searched for the reason. */
const searchedEntries = 5000;

/**
 * Changes of installations that a killed host did not finish. `hasHost`: a host is running, so only those count that it
 * tried to undo and could not; others may be under way.
 */
export function checkUnfinishedChanges(state: string, hasHost: boolean): readonly Check[] {
  const { changes, operations } = storedChanges(state, searchedEntries);
  const tried = operations
    .map(({ at, body }) => ({ at: Date.parse(at), ...(JSON.parse(body) as object) }))
    .filter(isUnsettled);
  return changes.flatMap(({ package: id, operation, at }) => {
    const failed = tried.findLast((it) => it.package === id && it.of === operation && it.at >= at);
    if (failed === undefined && hasHost) return [];
    return [unfinished(id, operation, failed?.reason)];
  });
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
