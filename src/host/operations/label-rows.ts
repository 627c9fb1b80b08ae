import type { LabelOperations } from '../host.js';
import { actorParam, type OperationTree, operation, value } from './operation.js';
import { anyText, arrayOf, boolean, nullable, object, oneOf, text, timestamp } from './shape.js';

const id = value('id', text());

export const labelSessionEntry = object({
  id: text(),
  principal: text(),
  root: anyText('The workspace.'),
  integrity: oneOf(['trusted', 'untrusted']),
  secrecy: oneOf(['public', 'private', 'secret']),
  untrustedBy: nullable(anyText('The tool and call whose answer made it untrusted.')),
  privateBy: nullable(anyText('The tool and call whose answer made it private.')),
  createdAt: timestamp(),
  changedAt: timestamp(),
});

export const endorsementEntry = object({
  id: text(),
  session: text('Id of the session.'),
  source: oneOf(['words', 'operator', 'approval', 'clean', 'made']),
  kind: oneOf(['words', 'host', 'place', 'value']),
  value: anyText(),
  level: oneOf(['visit', 'message', 'pay']),
  input: nullable(anyText('Package, tool and input; null: any.')),
  at: timestamp(),
  by: text(),
  verified: boolean("Whether the operator's PIN was given."),
});

/** What sessions have seen, and what people vouched for. */
export const labelRows = {
  list: operation(
    { role: 'operator', summary: 'List sessions that saw untrusted or private text.' },
    [],
    arrayOf(labelSessionEntry),
  ),
  get: operation({ role: 'operator', summary: 'Get what one session has seen.' }, [id], labelSessionEntry),
  reset: operation(
    { role: 'operator', pin: 'if-set', summary: 'Start a session anew: what it saw no longer counts.' },
    [id, actorParam],
    labelSessionEntry,
  ),
  endorsements: operation(
    { role: 'operator', summary: 'List values that people vouched for.' },
    [],
    arrayOf(endorsementEntry),
  ),
  revoke: operation(
    { role: 'operator', summary: 'Revoke an endorsement. Calls with its value are held again.' },
    [id, actorParam],
    boolean('False if there is no such endorsement.'),
  ),
} as const satisfies OperationTree<LabelOperations>;
