import type { Activity } from '../operator/activity.js';
import { members, type OperationTree, operation, value } from './operation.js';
import { auditEntry } from './operator-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  integer,
  nullable,
  number,
  object,
  optional,
  recordOf,
  text,
  timestamp,
} from './shape.js';

const filter = {
  package: optional(text()),
  tool: optional(text('Its name, or PACKAGE/TOOL.')),
  client: optional(text('A principal, or its last part.')),
  statuses: optional(arrayOf(text('Such as ok, error, held, denied, rejected, running.'))),
  text: optional(anyText('A part of the tool, principal, reason or id of the call, in any case.')),
};
const latency = object({ p50: nullable(number()), p95: nullable(number()), p99: nullable(number()) });
const counts = recordOf(integer());
const group = object({ name: anyText(), calls: integer(), failed: integer(), held: integer(), latency });
const complete = boolean('False if older calls are only in the audit log.');

const activityCall = object({
  seq: integer('Number of its first entry in the audit log.'),
  call: text(),
  at: timestamp(),
  tool: anyText('PACKAGE/TOOL, or what the caller named.'),
  principal: anyText(),
  status: text(),
  reason: anyText(),
  durationMs: nullable(number()),
  approval: nullable(text()),
});

/** Operations that read what callers did. */
export const activityRows = {
  summary: operation(
    { role: 'operator', summary: 'Count the calls of a span of time by status, tool and principal.' },
    [
      members(
        object({
          since: timestamp(),
          until: optional(timestamp('Milliseconds since 1970. Default: now.')),
          buckets: optional(
            integer('How many parts to divide the time into. Default: 60.', { minimum: 1, maximum: 500 }),
          ),
          ...filter,
        }),
      ),
    ],
    object({
      ...{ from: timestamp(), to: timestamp(), bucketMs: integer(), total: integer(), statuses: counts },
      buckets: arrayOf(object({ at: timestamp(), counts, latency })),
      ...{ latency, tools: arrayOf(group), principals: arrayOf(group), holds: counts, complete },
    }),
  ),
  calls: operation(
    { role: 'operator', summary: 'List calls from the audit log, newest first.' },
    [
      members(
        object({
          since: optional(timestamp()),
          until: optional(timestamp()),
          before: optional(
            integer('Only calls with a smaller number. A list that goes on there does not move.'),
          ),
          after: optional(integer('Only calls with a larger number.')),
          offset: optional(
            integer('How many calls to leave out. Default: 0.', { minimum: 0, maximum: 10_000_000 }),
          ),
          limit: optional(integer('Default: 100.', { minimum: 1, maximum: 1000 })),
          ...filter,
        }),
      ),
    ],
    object({ total: integer(), calls: arrayOf(activityCall), complete }),
  ),
  entries: operation(
    { role: 'operator', summary: 'Read the entries of the audit log about one call and its approval.' },
    [value('call', text())],
    arrayOf(auditEntry),
  ),
} as const satisfies OperationTree<Activity>;
