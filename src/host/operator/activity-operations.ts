import type { ActivityCall, ActivityFilter } from '../../model/activity.js';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { AuditLog } from '../../store/audit-log.js';
import { CallTable } from '../../store/call-table.js';
import type { Database } from '../../store/database.js';
import type { Activity } from './activity.js';
import { summarize } from './activity-summary.js';

/** The table of calls is made again after so long without use. It can take tens of megabytes. */
const idleMs = 10 * 60_000;
const defaultBuckets = 60;
const defaultLimit = 100;

export interface ActivityServices {
  readonly database: Database;
  readonly audit: Pick<AuditLog, 'flush'>;
  readonly now: () => number;
}

export function activityOperations({ database, audit, now }: ActivityServices): Activity {
  let table: CallTable | undefined;
  let timer: NodeJS.Timeout | undefined;
  const opened = async (): Promise<CallTable> => {
    // Outcomes may still wait for their commit.
    await audit.flush();
    table ??= new CallTable(database);
    clearTimeout(timer);
    timer = setTimeout(() => {
      table = undefined;
    }, idleMs);
    timer.unref();
    return table;
  };
  return {
    async summary({ since, until = now(), buckets = defaultBuckets, ...filter }) {
      if (until < since) throw new HostError('usage', 'until is before since');
      const { calls, complete } = await (await opened()).calls();
      const inside = calls.filter(fits({ ...filter, since, until }));
      const isWhole = complete || (calls[0]?.at ?? 0) <= since;
      return { ...summarize(inside, { from: since, to: until, buckets }), complete: isWhole };
    },
    async calls({ offset = 0, limit = defaultLimit, before, after, ...filter }) {
      const { calls: kept, complete } = await (await opened()).calls();
      const calls = kept.slice(
        after === undefined ? 0 : firstFrom(kept, after + 1),
        before === undefined ? kept.length : firstFrom(kept, before),
      );
      const fitting = calls.filter(fits(filter));
      const end = Math.max(0, fitting.length - offset);
      const page = fitting.slice(Math.max(0, end - limit), end).reverse();
      return { total: fitting.length, calls: page.map((it) => ({ ...it })), complete };
    },
    async entries(call) {
      const found = await (await opened()).entriesOf(call);
      if (found.length === 0)
        throw new HostError('not_found', `no call ${JSON.stringify(call.slice(0, 80))} in the newest calls`, {
          hint: `toolwharf audit show ${call.slice(0, 80)}`,
        });
      return found.map(({ seq, at, kind, body }) => ({
        seq,
        at,
        kind,
        body: JSON.parse(body) as JsonObject,
      }));
    },
  };
}

/** Index of the first call whose `seq` is at least this one. They are in order. */
function firstFrom(calls: readonly ActivityCall[], seq: number): number {
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((calls[middle]?.seq ?? seq) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function fits(filter: ActivityFilter): (call: ActivityCall) => boolean {
  const { since = 0, until = Number.POSITIVE_INFINITY, tool, client, statuses } = filter;
  const wanted = statuses === undefined || statuses.length === 0 ? undefined : new Set(statuses);
  const part = filter.text?.toLowerCase() ?? '';
  const start = filter.package === undefined ? undefined : `${filter.package}/`;
  const isNamed = (name: string, wholeOrEnd: string | undefined) =>
    wholeOrEnd === undefined || name === wholeOrEnd || name.endsWith(`/${wholeOrEnd}`);
  return (it) =>
    it.at >= since &&
    it.at <= until &&
    (wanted === undefined || wanted.has(it.status)) &&
    (start === undefined || it.tool.startsWith(start)) &&
    isNamed(it.tool, tool) &&
    isNamed(it.principal, client) &&
    (part === '' || `${it.tool}\n${it.principal}\n${it.reason}\n${it.call}`.toLowerCase().includes(part));
}
