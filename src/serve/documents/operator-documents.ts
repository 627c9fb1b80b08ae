// Documents about decisions of the operator.
import { endorsementEntry, labelSessionEntry } from '../../host/operations/label-rows.js';
import {
  acceptedWaiver,
  killOutcomeMembers,
  movedFileMembers,
  secretAudience,
  tokenMembers,
} from '../../host/operations/operator-shapes.js';
import { sessionWaiver } from '../../host/operations/session-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  exactly,
  integer,
  isoTime,
  nullable,
  object,
  oneOf,
  optional,
  text,
  union,
} from '../../host/operations/shape.js';
import { signInMembers, signOutMembers } from '../../host/operations/sign-in-shapes.js';
import { approvalEntry } from '../print/approval-document.js';
import { ruleEntry } from '../print/rule-document.js';
import { jsonDocument } from './json-document.js';

const printedToken = {
  ...tokenMembers,
  createdAt: isoTime(),
  expiresAt: nullable(isoTime()),
  lastUsedAt: nullable(isoTime('About when it was used the last time.')),
};
const waivers = exactly('toolwharf/waivers@1');

export const operatorDocuments = {
  'approvals@1': jsonDocument('approvals@1', 'Held calls with their arguments.', {
    requests: arrayOf(approvalEntry),
    version: optional(text('Differs after every change. Only in the API.')),
  }),
  'rules@1': jsonDocument('rules@1', 'Standing rules with their conditions.', {
    rules: arrayOf(ruleEntry),
    revoked: optional(text('Id of the rule that was revoked.')),
  }),
  'sessions@1': jsonDocument('sessions@1', 'What sessions have seen.', {
    sessions: arrayOf(labelSessionEntry),
  }),
  'endorsements@1': jsonDocument('endorsements@1', 'Values that people vouched for.', {
    endorsements: arrayOf(endorsementEntry),
  }),
  'notice-key@1': jsonDocument('notice-key@1', 'The key that signs notices to approvals.webhook.', {
    key: text(),
  }),
  'waivers@1': {
    description: 'Settings that waive a question or a protection.',
    shape: union(
      [
        object({
          schema: waivers,
          waivers: arrayOf(sessionWaiver),
          accepted: optional(arrayOf(acceptedWaiver, 'All that were accepted, of other settings too.')),
        }),
        object({ schema: waivers, revoked: text('The id that was written.') }),
      ],
      'settings, or the id of a revoked one',
    ),
  },
  'sign-ins@1': jsonDocument('sign-ins@1', 'Sign-ins to MCP servers, without tokens.', {
    signIns: arrayOf(object({ ...signInMembers, signedInAt: isoTime(), expiresAt: optional(isoTime()) })),
  }),
  'sign-out@1': jsonDocument('sign-out@1', 'Which sign-ins ended, and what is left to do.', signOutMembers),
  'pin@1': jsonDocument('pin@1', 'Whether a PIN is set.', {
    set: boolean(),
    failures: optional(integer('Wrong attempts since the last correct one.')),
    waitUntil: optional(isoTime('No PIN is accepted before this time.')),
  }),
  'token@1': jsonDocument('token@1', 'A new token. It is shown once.', { token: text(), ...printedToken }),
  'tokens@1': jsonDocument('tokens@1', 'Tokens of HTTP clients and keys of connected clients.', {
    tokens: arrayOf(object(printedToken)),
    revoked: optional(text('Id of the token that was revoked.')),
  }),
  'secrets@1': jsonDocument('secrets@1', 'Stored secrets and settings, without their values.', {
    secrets: arrayOf(object({ package: text(), slot: text(), audience: secretAudience, setAt: isoTime() })),
    missing: arrayOf(
      object({
        ...{ package: text(), slot: text(), label: anyText(), secret: boolean() },
        command: anyText('The command that sets it.'),
        providerScopes: optional(arrayOf(anyText(), 'Scopes that it needs at its provider.')),
      }),
      'Values that packages need before they can be called.',
    ),
  }),
  'rekey@1': jsonDocument('rekey@1', 'Where the encryption key of all secrets is stored.', {
    keyStorage: oneOf(['keychain', 'file', 'passphrase']),
  }),
  'kill@1': jsonDocument('kill@1', 'A target that was stopped, or is allowed again.', {
    target: text(),
    killed: boolean(),
    changed: boolean('False if nothing changed.'),
    ended: optional(killOutcomeMembers.ended),
    voided: optional(killOutcomeMembers.voided),
    file: optional(text('The KILL file, if the host did not answer.')),
  }),
  'kills@1': jsonDocument('kills@1', 'The stopped targets.', {
    killed: arrayOf(object({ target: text(), since: isoTime(), by: anyText() })),
  }),
  'quarantine@1': jsonDocument('quarantine@1', 'Files that were moved aside.', {
    files: arrayOf(object({ ...movedFileMembers, at: isoTime() })),
  }),
  'quarantined@1': jsonDocument('quarantined@1', 'What was done with a file that was moved aside.', {
    id: text(),
    path: text('Where it was.'),
    done: oneOf(['restored', 'deleted']),
  }),
};
