import type { RemoteHost } from '../host.js';
import { activityRows } from './activity-rows.js';
import { approvalRows } from './approval-rows.js';
import { healthRows, openSessionShape } from './health-rows.js';
import { installRequestOperations } from './install-request-operations.js';
import { labelRows } from './label-rows.js';
import { manifestRows } from './manifest-rows.js';
import {
  actorNameParam,
  actorParam,
  members,
  membersBy,
  type OperationTree,
  operation,
  value,
} from './operation.js';
import {
  acceptedWaiver,
  auditEntry,
  auditRollback,
  auditStatus,
  auditVerdict,
  declaredValue,
  keyChange,
  killEntry,
  killOutcome,
  movedFile,
  openedArguments,
  pinStatus,
  processCounts,
  secretEntry,
  secretInput,
  tokenEntry,
  tokenInput,
  unknownOutcome,
} from './operator-shapes.js';
import { setRows } from './set-rows.js';
import {
  anySecretText,
  anyText,
  arrayOf,
  boolean,
  integer,
  nothing,
  nullable,
  number,
  object,
  optional,
  secretText,
  text,
} from './shape.js';

const id = value('id', text());
const packageId = value('package', text());
const slot = value('slot', text());
/** The kill switch itself rejects what cannot be a target. */
const target = value('target', anyText('all, PACKAGE, PACKAGE/TOOL or principal:NAME'));
const maxTail = 10_000;

/** What an operator can do. Operations that only read have no PIN rule. */
export const hostOperations = {
  approvals: approvalRows,
  operator: {
    pin: operation({ role: 'operator', summary: 'Get the status of the PIN.' }, [], pinStatus),
    setPin: operation(
      { role: 'operator', pin: 'if-set', summary: 'Set or change the PIN.' },
      [value('pin', anySecretText()), actorParam],
      nothing(),
    ),
    removePin: operation(
      { role: 'operator', pin: 'if-set', summary: 'Remove the PIN.' },
      [actorParam],
      boolean('False if no PIN was set.'),
    ),
  },
  secrets: {
    set: operation(
      { role: 'operator', pin: 'if-set', summary: 'Set a value, and who may receive it.' },
      [membersBy(secretInput)],
      secretEntry,
    ),
    list: operation(
      { role: 'operator', summary: 'List which values are set. Values are never returned.' },
      [],
      arrayOf(secretEntry),
    ),
    slots: operation(
      { role: 'operator', summary: 'List the names of the values that a package uses.' },
      [packageId],
      nullable(arrayOf(anyText())),
    ),
    declared: operation(
      {
        role: 'operator',
        summary: 'List the values that accepted packages ask for, and which of them are missing.',
      },
      [value('package', optional(text()))],
      arrayOf(declaredValue),
    ),
    unset: operation(
      { role: 'operator', pin: 'if-set', summary: 'Delete a value.' },
      [packageId, slot, actorParam],
      boolean('False if no value was set.'),
    ),
    rekey: operation(
      { role: 'operator', pin: 'if-set', summary: 'Move the key of the vault to another storage.' },
      [membersBy(keyChange)],
      nothing(),
    ),
  },
  switches: {
    known: operation(
      { role: 'operator', summary: 'List the ids of all packages that were ever accepted.' },
      [],
      arrayOf(text()),
    ),
    disabled: operation({ role: 'operator', summary: 'List disabled packages.' }, [], arrayOf(text())),
    set: operation(
      {
        role: 'operator',
        pin: 'if-set',
        summary: 'Enable or disable a package. Disabling never needs the PIN.',
      },
      [packageId, value('enabled', boolean()), actorParam],
      boolean('False if nothing changed.'),
    ),
  },
  kills: {
    list: operation({ role: 'operator', summary: 'List stopped targets.' }, [], arrayOf(killEntry)),
    set: operation(
      { role: 'operator', summary: 'Stop a target: end its running calls and deny new ones.' },
      [
        target,
        actorNameParam,
        value('force', optional(boolean('Also stop a target that the host has never seen. Default: false.'))),
      ],
      killOutcome,
    ),
    check: operation(
      { role: 'operator', summary: 'Check that a target is known, without stopping it.' },
      [target],
      nothing(),
    ),
    lift: operation(
      { role: 'operator', pin: 'if-set', summary: 'Lift a stop.' },
      [target, actorParam],
      boolean('False if the target was not stopped.'),
    ),
  },
  waivers: {
    list: operation(
      { role: 'operator', summary: 'List the accepted settings that waive a question or a protection.' },
      [],
      arrayOf(acceptedWaiver),
    ),
    revoke: operation(
      { role: 'operator', summary: 'Revoke the acceptance of a setting. It has no effect then.' },
      [id, actorParam],
      boolean('False if nothing with this id was accepted.'),
    ),
  },
  quarantine: {
    list: operation(
      { role: 'operator', summary: 'List files that tools made in steering places, which were moved aside.' },
      [],
      arrayOf(movedFile),
    ),
    restore: operation(
      { role: 'operator', pin: 'if-set', summary: 'Put a file back that was moved aside.' },
      [id, actorParam],
      movedFile,
    ),
    delete: operation(
      { role: 'operator', pin: 'if-set', summary: 'Delete a file that was moved aside.' },
      [id, actorParam],
      movedFile,
    ),
  },
  installRequests: installRequestOperations,
  labels: labelRows,
  outcomes: {
    unknown: operation(
      { role: 'operator', summary: 'List calls whose outcome is unknown.' },
      [],
      arrayOf(unknownOutcome),
    ),
    acknowledge: operation(
      { role: 'operator', summary: 'Acknowledge a call with an unknown outcome.' },
      [value('call', text()), actorNameParam],
      boolean('False if the call is not on the list.'),
    ),
  },
  rollbacks: {
    list: operation(
      { role: 'operator', summary: 'List what shows a rollback of the audit log.' },
      [],
      arrayOf(auditRollback),
    ),
    acknowledge: operation(
      { role: 'operator', pin: 'if-set', summary: 'Acknowledge a rollback of the audit log.' },
      [value('entry', integer('Number of its entry in the audit log.')), actorParam],
      boolean('False if it is not on the list.'),
    ),
  },
  keptArguments: {
    open: operation(
      { role: 'operator', pin: 'if-set', summary: 'Show the kept arguments of a call.' },
      [value('call', text()), actorParam],
      openedArguments,
    ),
    forget: operation(
      { role: 'operator', pin: 'if-set', summary: 'Erase arguments kept before a time.' },
      [value('before', number('Milliseconds since 1970.')), actorParam],
      integer('How many calls had kept arguments.'),
    ),
  },
  tokens: {
    create: operation(
      { role: 'operator', pin: 'if-set', summary: 'Create an access token. It is shown once.' },
      [membersBy(tokenInput)],
      object({ entry: tokenEntry, token: text() }),
    ),
    list: operation(
      { role: 'operator', summary: 'List access tokens, without the tokens themselves.' },
      [],
      arrayOf(tokenEntry),
    ),
    check: operation(
      { role: 'operator', summary: 'Find the entry of an access token.' },
      [value('token', secretText())],
      nullable(tokenEntry),
    ),
    revoke: operation(
      { role: 'operator', summary: 'Revoke an access token.' },
      [id, actorNameParam],
      boolean('False if there is no such token.'),
    ),
  },
  sets: setRows,
  activity: activityRows,
  manifests: manifestRows,
  health: healthRows,
  openSessions: operation(
    { role: 'operator', summary: 'List the sessions that use packages now.' },
    [],
    arrayOf(openSessionShape),
  ),
  processes: operation(
    { role: 'operator', summary: 'Count sandboxed processes by kind.' },
    [],
    processCounts,
  ),
  verifyAudit: operation(
    { role: 'operator', progress: true, summary: 'Verify the audit log.' },
    [members(object({}))],
    auditVerdict,
  ),
  auditStatus: operation(
    { role: 'operator', summary: 'Show how far the audit log and its checkpoints are.' },
    [],
    auditStatus,
  ),
  auditTail: operation(
    { role: 'operator', summary: 'Read the last entries of the audit log, oldest first.' },
    [value('count', integer('How many entries.', { minimum: 0, maximum: maxTail }))],
    arrayOf(auditEntry),
  ),
} as const satisfies OperationTree<Omit<RemoteHost, 'session' | 'close'>>;
