import type { Health } from '../host.js';
import { type OperationTree, operation } from './operation.js';
import {
  anyText,
  arrayOf,
  boolean,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  timestamp,
} from './shape.js';

const healthCheck = object({
  id: text(),
  status: oneOf(['ok', 'warn', 'fail']),
  message: anyText(),
  fix: optional(anyText('What fixes it: a command where there is one.')),
});

const overview = object({
  startedAt: timestamp(),
  node: text(),
  platform: text(),
  sandbox: object({
    name: text(),
    level: oneOf(['enforced', 'degraded', 'unavailable']),
    reasons: arrayOf(anyText()),
    fix: nullable(anyText()),
  }),
  activeCalls: integer(),
  disk: object({
    path: text('The state directory.'),
    freeBytes: number(),
    totalBytes: number(),
    parts: arrayOf(object({ name: text(), bytes: number() }), 'Its largest entries.'),
    complete: boolean('False if there are too many files to count.'),
  }),
  limits: arrayOf(
    object({
      principal: anyText(),
      tool: anyText(),
      kind: oneOf(['calls', 'amount']),
      windowMs: number(),
      used: number(),
      max: nullable(number('Null: not known until the next call.')),
    }),
    'Limits that are partly used.',
  ),
});

/** Sessions that use packages now. */
export const openSessionShape = object({
  id: text(),
  principal: text(),
  client: anyText('Which client of the principal; empty if it has only one.'),
  root: text('The workspace.'),
  set: nullable(text('The set whose tools it shows. Null: everything.')),
  openedAt: timestamp(),
  lastCallAt: nullable(timestamp()),
  calls: integer(),
});

/** Whether the host and its machine work. */
export const healthRows = {
  overview: operation(
    { role: 'operator', summary: 'Show the sandbox, the disk and the limits of this host.' },
    [],
    overview,
  ),
  check: operation(
    { role: 'operator', summary: 'Test what this machine enforces. Takes some seconds.' },
    [],
    arrayOf(healthCheck),
  ),
} as const satisfies OperationTree<Health>;
