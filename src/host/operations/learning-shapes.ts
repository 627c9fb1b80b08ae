// What the operations about learning take and return.
import {
  anyText,
  arrayOf,
  boolean,
  integer,
  nullable,
  object,
  oneOf,
  open,
  optional,
  text,
  timestamp,
} from './shape.js';

const texts = (description?: string) => arrayOf(anyText(), description);
const filesystemLevels = ['none', 'read-only', 'read-write'] as const;
const learnedAccess = object({
  network: texts('`public`, or hosts. Empty: none.'),
  filesystem: oneOf(filesystemLevels),
});
export const learnMembers = {
  package: text(),
  version: anyText(),
  observed: object({ since: timestamp(), until: timestamp(), calls: integer() }),
  tools: object({
    called: open<Readonly<Record<string, number>>>('How often each tool was called.'),
    never: texts('Tools that were never called.'),
  }),
  current: learnedAccess,
  used: object({
    hosts: texts('`host:port` each.'),
    changed: nullable(texts('Folders of the workspace in which something changed. Null: not known.')),
  }),
  proposed: learnedAccess,
  removes: texts('What it would lose, in the syntax of --allow.'),
  missing: texts('What it was denied, in the syntax of --allow. Never added by itself.'),
  unobserved: texts('What cannot be observed, and therefore stays.'),
  warnings: texts(),
  narrowing: object({ network: nullable(texts()), noWriting: boolean() }),
};
export const learnProposal = object(learnMembers);
const narrowMembers = {
  package: text(),
  network: nullable(texts('The only `host:port` that it may reach. Null: not narrowed.')),
  noWriting: boolean('It may not change the workspace.'),
};
export const narrowRequest = object({
  ...narrowMembers,
  grants: optional(texts('Hosts to grant besides, such as net:api.example.com:443.')),
});
export const narrowingMembers = { ...narrowMembers, grants: texts(), at: timestamp(), by: anyText() };
export const narrowingEntry = object(narrowingMembers);
