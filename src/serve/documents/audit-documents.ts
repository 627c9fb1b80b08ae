// Documents about the audit log.
import { auditVerdictMembers } from '../../host/operations/operator-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  integer,
  isoTime,
  json,
  jsonObject,
  nullable,
  object,
  optional,
  text,
  union,
} from '../../host/operations/shape.js';
import { type JsonDocument, jsonDocument } from './json-document.js';

const entry = { seq: integer('Number of the entry.'), at: isoTime(), kind: text() };

export const auditDocuments = {
  'audit@1': jsonDocument('audit@1', 'Whether the audit log is intact.', auditVerdictMembers),
  'audit-entry@1': {
    description: 'One entry of the audit log.',
    shape: object({ ...entry, body: jsonObject() }),
    isStream: true,
  } satisfies JsonDocument,
  'audit-call@1': jsonDocument('audit-call@1', 'All entries about one call.', {
    call: text(),
    entries: arrayOf(object({ ...entry, body: jsonObject() })),
    kept: boolean('Whether its arguments are stored.'),
    opened: optional(
      object({
        tool: text(),
        arguments: json(),
        exact: boolean('False if secrets were removed.'),
        at: isoTime(),
      }),
    ),
  }),
  'audit-export@1': {
    description: 'A part of the audit log with its proof: a head, the entries, then signed checkpoints.',
    shape: union(
      [
        jsonDocument('audit-export@1', '', {
          first: integer('Number of the first entry.'),
          publicKey: nullable(text()),
          before: optional(json('The tree of hashes before the first entry.')),
        }).shape,
        object({
          ...entry,
          body: anyText('JSON, exactly as it was hashed.'),
          previous: text(),
          hash: text(),
        }),
        object({ checkpoint: text('A signed note.') }),
      ],
      'a head, an entry or a checkpoint',
    ),
    isStream: true,
  } satisfies JsonDocument,
  'audit-checkpoint@1': jsonDocument('audit-checkpoint@1', 'The newest signed checkpoint.', {
    size: integer('How many entries it covers.'),
    root: text('Hash of the tree of entries.'),
    note: text('The signed note.'),
    verifierKey: text(),
  }),
  'audit-proof@1': jsonDocument('audit-proof@1', 'A proof about an entry, or about the growth of the log.', {
    proof: text(),
  }),
  'audit-forget@1': jsonDocument('audit-forget@1', 'How many stored arguments were erased.', {
    before: isoTime(),
    forgotten: integer(),
  }),
  'acknowledge@1': jsonDocument('acknowledge@1', 'The call or the entry that was acknowledged.', {
    call: optional(text()),
    entry: optional(integer('Number of the entry about a rollback.')),
  }),
};
