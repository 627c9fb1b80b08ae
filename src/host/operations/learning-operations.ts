import type { Learning } from '../host.js';
import { learnProposal, narrowingEntry, narrowRequest } from './learning-shapes.js';
import { actorParam, members, membersBy, type OperationTree, operation, value } from './operation.js';
import { boolean, number, object, optional, text, timestamp } from './shape.js';

/** What packages really use, and the smallest grant for it. */
export const learningOperations = {
  watch: operation(
    { role: 'operator', summary: 'Watch whether calls of a package change files, for some time.' },
    [members(object({ package: text(), seconds: number() }))],
    object({ since: timestamp(), until: timestamp() }),
  ),
  propose: operation(
    { role: 'operator', summary: 'Propose the smallest grant for what a package used. Changes nothing.' },
    [
      members(
        object({ package: text(), since: optional(timestamp('Default: since it is watched, or 7 days.')) }),
      ),
    ],
    learnProposal,
  ),
  apply: operation(
    { role: 'operator', pin: 'if-set', summary: 'Narrow what a package may use.' },
    [membersBy(narrowRequest)],
    narrowingEntry,
  ),
  undo: operation(
    { role: 'operator', pin: 'if-set', summary: 'Undo the narrowing of a package.' },
    [value('package', text()), actorParam],
    boolean('False if it was not narrowed.'),
  ),
} as const satisfies OperationTree<Learning>;
