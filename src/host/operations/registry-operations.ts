import type { Registries } from '../host.js';
import { members, membersBy, type OperationTree, operation } from './operation.js';
import {
  decidedReview,
  publicationReviews,
  registryPackage,
  registrySearch,
  registrySearchResult,
  registryStatus,
  reviewDecisionRequest,
} from './registry-shapes.js';
import { arrayOf, object, text } from './shape.js';

/** Package registries that the operator configured. */
export const registryOperations = {
  list: operation(
    { role: 'operator', summary: 'List the configured registries, with what this machine has seen of each.' },
    [members(object({}))],
    arrayOf(registryStatus),
  ),
  search: operation(
    { role: 'operator', summary: 'Search the configured registries for packages.' },
    [members(registrySearch)],
    registrySearchResult,
  ),
  info: operation(
    { role: 'operator', summary: 'Show all releases of a package of a registry.' },
    [members(object({ name: text('NAMESPACE/NAME') }))],
    registryPackage,
  ),
  reviews: operation(
    { role: 'operator', summary: 'List packages that wait for a person before they are published.' },
    [members(object({}))],
    publicationReviews,
  ),
  decideReview: operation(
    {
      role: 'operator',
      pin: 'if-set',
      summary: 'Approve or reject a package that waits to be published. Rejecting never needs the PIN.',
    },
    [membersBy(reviewDecisionRequest)],
    decidedReview,
  ),
} as const satisfies OperationTree<Registries>;
