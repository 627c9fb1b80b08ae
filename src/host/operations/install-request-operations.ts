import type { InstallRequests } from '../host.js';
import { actorParam, type OperationTree, operation, value } from './operation.js';
import { requestedInstallation, requestStates } from './request-shapes.js';
import { anyText, arrayOf, oneOf, optional, text } from './shape.js';

/** Packages that agents asked for. */
export const installRequestOperations = {
  list: operation(
    { role: 'operator', summary: 'List packages that agents asked for. Default: those that wait.' },
    [value('states', optional(arrayOf(oneOf(requestStates))))],
    arrayOf(requestedInstallation),
  ),
  refuse: operation(
    { role: 'operator', summary: 'Refuse a package that an agent asked for.' },
    [value('id', text()), value('note', optional(anyText('What the agent is told.'))), actorParam],
    requestedInstallation,
  ),
} as const satisfies OperationTree<InstallRequests>;
