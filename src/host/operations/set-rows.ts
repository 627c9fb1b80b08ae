import type { SetOperations } from '../host.js';
import { actorParam, membersBy, type OperationTree, operation, value } from './operation.js';
import {
  savedToolSet,
  setBinding,
  setBindingInput,
  setSubject,
  toolSet,
  toolSetEntries,
} from './set-shapes.js';
import { anyText, arrayOf, boolean, text } from './shape.js';

/** Named choices of packages and tools. */
export const setRows = {
  list: operation({ role: 'operator', summary: 'List sets and who uses them.' }, [], toolSetEntries),
  check: operation(
    { role: 'operator', summary: 'Check a set without saving it.' },
    [value('set', toolSet)],
    arrayOf(anyText(), 'What could not be checked here, or has no effect here.'),
  ),
  save: operation(
    { role: 'operator', pin: 'if-set', summary: 'Save a set, in place of one with the same name.' },
    [value('set', toolSet), actorParam],
    savedToolSet,
  ),
  remove: operation(
    { role: 'operator', summary: 'Remove a set that nobody uses.' },
    [value('name', text()), actorParam],
    boolean('False if there is no such set.'),
  ),
  bind: operation(
    { role: 'operator', pin: 'if-set', summary: 'Bind a set to callers.' },
    [membersBy(setBindingInput)],
    setBinding,
  ),
  unbind: operation(
    { role: 'operator', pin: 'if-set', summary: 'End the binding of a set.' },
    [membersBy(setSubject)],
    boolean('False if there is none.'),
  ),
} as const satisfies OperationTree<SetOperations>;
