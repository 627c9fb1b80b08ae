import type { RemoteHost } from '../host.js';
import { actorParam, type OperationTree, operation, signalParam, value } from './operation.js';
import { approvalRequest, approvalStates, ruleInput, rulePreview, standingRule } from './operator-shapes.js';
import { anyText, arrayOf, boolean, jsonObject, number, oneOf, optional, text } from './shape.js';

const id = value('id', text());
const note = value('note', optional(anyText('At most 500 characters. A caller gets the note of a denial.')));

const asked = value(
  'asked',
  optional(anyText('What the person asked for, in their own words. It vouches for the values in it.')),
);

/** Operations on held calls and on standing rules. */
export const approvalRows = {
  list: operation(
    { role: 'operator', summary: 'List held calls. Default: undecided, or approved and not run yet.' },
    [value('states', optional(arrayOf(oneOf(approvalStates))))],
    arrayOf(approvalRequest),
  ),
  get: operation({ role: 'operator', summary: 'Get one held call.' }, [id], approvalRequest),
  approve: operation(
    { role: 'operator', pin: 'if-set', summary: 'Approve one held call. It may run once.' },
    [id, actorParam, note, asked],
    approvalRequest,
  ),
  approveWith: operation(
    {
      role: 'operator',
      pin: 'if-set',
      summary: 'Approve one held call with other arguments. They are checked like a new call.',
    },
    [id, value('arguments', jsonObject('The arguments to use instead.')), actorParam, note],
    approvalRequest,
  ),
  deny: operation(
    { role: 'operator', summary: 'Deny one held call.' },
    [id, actorParam, note],
    approvalRequest,
  ),
  version: operation(
    { role: 'operator', summary: 'Get a text that differs after every change of the held calls.' },
    [],
    text(),
  ),
  waitForChange: operation(
    { role: 'operator', summary: 'Wait until the held calls change, and get the new version.' },
    [value('after', anyText('A version from before.')), value('seconds', number()), signalParam],
    text(),
  ),
  noticeKey: operation(
    { role: 'operator', pin: 'if-set', summary: 'Show the key that signs notices of held calls, as hex.' },
    [actorParam],
    text(),
  ),
  rules: {
    list: operation(
      { role: 'operator', summary: 'List standing rules, also ended ones.' },
      [],
      arrayOf(standingRule),
    ),
    add: operation(
      {
        role: 'operator',
        pin: 'if-set',
        summary: 'Add a standing rule: matching calls run without a question.',
      },
      [value('rule', ruleInput), actorParam],
      standingRule,
    ),
    preview: operation(
      { role: 'operator', summary: 'Show which held calls of the last days a rule would have answered.' },
      [value('rule', ruleInput), value('days', optional(number('Default: 7.')))],
      rulePreview,
    ),
    revoke: operation(
      { role: 'operator', summary: 'Revoke a standing rule. Its calls are held again.' },
      [id, actorParam],
      boolean('False if no such rule is in force.'),
    ),
  },
} as const satisfies OperationTree<RemoteHost['approvals']>;
