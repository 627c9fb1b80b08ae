// What the operations of the operator take and return.
import {
  anyText,
  arrayOf,
  boolean,
  exactly,
  integer,
  json,
  jsonObject,
  nullable,
  number,
  object,
  oneOf,
  optional,
  secretText,
  text,
  timestamp,
  union,
} from './shape.js';

export const approvalStates = [
  'proposed',
  'approved',
  'denied',
  'expired',
  'void',
  'executing',
  'executed',
] as const;
const channel = oneOf(
  ['library', 'terminal', 'api', 'client', 'page', 'console'],
  'How the actor reached the host.',
);

export const evidence = object({
  kind: oneOf(['effect', 'destination', 'amount', 'address', 'workspace', 'grant', 'fixed', 'taint']),
  text: anyText(),
  at: optional(anyText('JSON pointer to the argument.')),
});

export const approvalRequest = object({
  id: text(),
  session: anyText(),
  principal: text('Who called.'),
  client: anyText('Which client of the principal; empty if it has only one.'),
  tool: text('PACKAGE/TOOL'),
  definition: text('Digest of the package.'),
  argumentsDigest: text('Digest of the arguments, the workspace and the grants.'),
  policy: text("Digest of the operator's policy."),
  credentials: text('Digest of which values are set, and who may receive them.'),
  arguments: json('The arguments of the caller.'),
  replacement: json('The arguments that run instead, or null.'),
  kind: text('Why it is held.'),
  reasons: arrayOf(anyText()),
  evidence: arrayOf(evidence),
  createdAt: timestamp(),
  expiresAt: timestamp(),
  state: oneOf(approvalStates),
  decision: nullable(
    object({ by: anyText(), channel, verified: boolean('The PIN was given.'), at: timestamp() }),
  ),
  voidReason: nullable(anyText()),
  answer: json('The stored answer, or null.'),
});

const condition = union(
  [
    object({ test: exactly('equals'), value: json() }),
    object({ test: exactly('one-of'), values: arrayOf(json()) }),
    object({ test: exactly('under'), path: anyText() }),
    object({ test: exactly('at-most'), number: number() }),
    object({ test: exactly('at-least'), number: number() }),
    object({ test: exactly('matches'), pattern: anyText() }),
    object({ test: exactly('any') }),
  ],
  'a condition: equals, one-of, under, at-most, at-least, matches or any',
);

const ruleMembers = {
  tool: text('PACKAGE/TOOL, or PACKAGE/* for a whole package'),
  definition: nullable(
    text('Digest of the package. The rule ends when the package changes. Null for a whole package.'),
  ),
  principal: nullable(text('Limits the rule to this caller.')),
  conditions: arrayOf(object({ argument: text(), condition })),
  destructive: boolean('Whether the rule covers destructive tools.'),
  expiresAt: nullable(timestamp()),
};
export const ruleInput = object(ruleMembers);
export const ruleConditions = ruleMembers.conditions;
export const standingRule = object({
  id: text(),
  ...ruleMembers,
  createdAt: timestamp(),
  createdBy: anyText(),
  verified: boolean(),
  state: oneOf(['active', 'expired', 'ended']),
  endReason: nullable(anyText()),
  used: integer('How many calls the rule allowed.'),
});

export const rulePreview = object({
  since: timestamp(),
  held: integer('Held calls of the tool since then.'),
  answered: integer('Those that the rule would have answered.'),
  asked: integer('Those that it would not have answered.'),
  unknown: integer('Those whose arguments are no longer stored.'),
  calls: arrayOf(
    object({
      id: text(),
      at: timestamp(),
      principal: text(),
      arguments: json(),
      state: oneOf(approvalStates),
    }),
    'The calls that the rule would have answered, newest first, at most 20.',
  ),
});

export const pinStatus = object({
  set: boolean(),
  failures: integer('Wrong attempts since the last correct one.'),
  waitUntil: nullable(timestamp('No PIN is accepted before this time.')),
});

export const secretAudience = union(
  [
    object({ kind: exactly('hosts'), hosts: arrayOf(text()) }),
    object({ kind: exactly('any') }),
    object({ kind: exactly('manifest') }),
  ],
  '{kind: "manifest"}, {kind: "any"} or {kind: "hosts", hosts: […]}',
);
const keyStorage = oneOf(['file', 'passphrase', 'keychain']);
export const secretInput = object({
  package: text(),
  slot: text(),
  value: secretText(),
  audience: secretAudience,
  keyStorage: optional(keyStorage),
});
export const secretEntry = object({
  package: text(),
  slot: text(),
  audience: secretAudience,
  setAt: timestamp(),
});
export const declaredValue = object({
  package: text(),
  slot: text(),
  label: anyText(),
  prompt: anyText('The text that asks for it.'),
  secret: boolean(),
  masked: boolean('Whether it is hidden while it is typed.'),
  choices: arrayOf(anyText(), 'Allowed values. Empty: any.'),
  obtainUrl: anyText('A web page where it can be obtained.'),
  providerScopes: arrayOf(anyText(), 'Scopes that it needs at its provider.'),
  missing: boolean('Whether calls fail until it is set.'),
  command: anyText('The command that sets it.'),
});
export const keyChange = object({ to: keyStorage, passphrase: optional(secretText('The new passphrase.')) });

const tokenRole = oneOf(['agent', 'operator']);
const tokenKind = oneOf(['http', 'stdio']);
export const tokenInput = object({
  name: anyText(),
  role: tokenRole,
  expiresAt: optional(nullable(timestamp('Null: never. Default: after 90 days.'))),
  kind: optional(tokenKind),
  user: optional(anyText('The user of a stdio client.')),
  mayApprove: optional(boolean('Whether a person may approve held calls at the client. Default: false.')),
  replaces: optional(text('Id of a token whose principal the new one gets.')),
});
export const tokenMembers = {
  id: text(),
  kind: tokenKind,
  name: text(),
  role: tokenRole,
  principal: text('The principal of its calls.'),
  mayApprove: boolean('Whether a person may approve held calls at the client.'),
  createdAt: timestamp(),
  expiresAt: nullable(timestamp()),
  lastUsedAt: nullable(timestamp('About when it was used the last time.')),
};
export const tokenEntry = object(tokenMembers);

export const killEntry = object({ target: text(), at: timestamp(), by: anyText() });
export const killOutcomeMembers = {
  changed: boolean('False if it was stopped already.'),
  ended: integer('Running calls that were ended.'),
  voided: integer('Held calls that were voided.'),
};
export const killOutcome = object(killOutcomeMembers);
export const waiverMembers = {
  id: text('Digest of its content.'),
  kind: oneOf([
    'rule',
    'grant',
    'trusted',
    'no-guesses',
    'scan-exempt',
    'limit',
    'nats',
    'broker',
    'ca',
    'notify',
    'server-request',
    'taint',
    'durability',
    'quarantine',
    'expired-registry',
  ]),
  content: json('The setting itself.'),
  text: anyText('What it does.'),
};
export const acceptedWaiver = object({
  ...waiverMembers,
  acceptedAt: timestamp(),
  acceptedBy: anyText(),
  verified: boolean('The PIN was given.'),
});
export const unknownOutcome = object({
  call: text(),
  tool: text(),
  principal: anyText(),
  at: timestamp(),
  repeats: boolean('The host repeats it when a session of its caller opens.'),
});
export const openedArguments = object({
  call: text(),
  tool: text(),
  arguments: json(),
  exact: boolean('False if secrets were removed.'),
  at: timestamp(),
});
export const processCounts = object({ call: integer(), pooled: integer(), prestarted: integer() });

export const auditVerdictMembers = {
  ok: boolean(),
  entries: integer('Valid entries, counted from the first.'),
  checkpoints: integer('Valid checkpoints.'),
  sealed: integer('Number of the newest entry that a checkpoint covers.'),
  anchors: integer('Anchors outside the state directory that agree with the log.'),
  acknowledged: integer('Rollbacks that were found and acknowledged earlier.'),
  firstBad: optional(integer('Number of the first invalid entry.')),
  problem: optional(anyText()),
  warnings: optional(arrayOf(anyText('What could not be checked.'))),
};
export const auditVerdict = object(auditVerdictMembers);
export const auditStatus = object({
  entries: integer('Number of the newest entry.'),
  checkpoint: nullable(
    object({
      size: integer('Entries that it covers.'),
      at: timestamp('When the newest of them was written.'),
    }),
  ),
});
export const auditRollback = object({
  entry: integer('Number of its entry in the audit log.'),
  at: timestamp(),
  kind: oneOf(['shorter', 'different', 'replaced', 'checkpoints', 'anchor']),
  message: anyText(),
});
export const auditEntry = object({ seq: integer(), at: anyText(), kind: text(), body: jsonObject() });

export const movedFileMembers = {
  id: text(),
  path: anyText('Where it was.'),
  stored: anyText('Where it is now.'),
  kind: oneOf(['file', 'folder', 'link']),
  packages: arrayOf(anyText()),
  at: timestamp(),
};
export const movedFile = object(movedFileMembers);
