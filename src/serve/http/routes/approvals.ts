import type { Approvals } from '../../../host/host.js';
import { approvalStates } from '../../../host/operations/operator-shapes.js';
import type { ApprovalState } from '../../../model/approval.js';
import type { CancelSignal } from '../../../model/cancel-signal.js';
import { documents } from '../../documents/documents.js';
import { approvalsDocument } from '../../print/approval-document.js';
import { HttpError } from '../http-error.js';
import { operatorOf } from '../request-operator.js';
import type { ResponseSpec, Route } from '../route.js';

const states: readonly ApprovalState[] = approvalStates;

const approvalsResponse: ResponseSpec = {
  description: 'Held calls with their arguments.',
  schema: documents['approvals@1'].shape.schema,
};
const notFound: ResponseSpec = { description: 'No held call has this id.' };
const maxWaitSeconds = 60;

/** Held calls and decisions on them. Agents have no access. */
export function approvalRoutes(approvals: Approvals): readonly Route[] {
  const decide = (verb: 'approve' | 'deny', summary: string): Route => ({
    method: 'POST',
    path: `/api/v1/approvals/{id}/${verb}`,
    role: 'operator',
    summary,
    responses: { 200: approvalsResponse, 404: notFound },
    handle: async (exchange) => ({
      body: approvalsDocument([
        await approvals[verb](exchange.pathParams.id as string, operatorOf(exchange)),
      ]),
    }),
  });
  return [
    {
      method: 'GET',
      path: '/api/v1/approvals',
      role: 'operator',
      summary: 'List held calls: undecided, or approved and not run yet.',
      query: {
        state: `Comma-separated states to list: ${states.join(', ')}.`,
        after: 'Version from an earlier response. Waits until the list differs from it.',
        wait: `With after: the longest time to wait, in seconds. Default: 25. Maximum: ${maxWaitSeconds}.`,
      },
      responses: { 200: approvalsResponse },
      handle: async ({ query, signal }) => {
        const selected = statesIn(query);
        const version = await versionAfter(approvals, query, signal);
        return { body: { ...approvalsDocument(await approvals.list(selected)), version } };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/approvals/{id}',
      role: 'operator',
      summary: 'Get one held call.',
      responses: { 200: approvalsResponse, 404: notFound },
      handle: async ({ pathParams }) => ({
        body: approvalsDocument([await approvals.get(pathParams.id as string)]),
      }),
    },
    decide('approve', 'Approve one held call. It may run once. If a PIN is set, send it or a sign-in.'),
    decide('deny', 'Deny one held call.'),
  ];
}

/** Waits if the query has `after`: until the list differs from that version, or until the time is up. */
async function versionAfter(
  approvals: Approvals,
  query: URLSearchParams,
  signal: CancelSignal,
): Promise<string> {
  const after = query.get('after');
  if (after === null) return approvals.version();
  const seconds = Number(query.get('wait') ?? '25');
  if (!(seconds >= 0 && seconds <= maxWaitSeconds))
    throw new HttpError(400, 'usage', `wait must be a number of seconds from 0 to ${maxWaitSeconds}`);
  return approvals.waitForChange(after, seconds, signal);
}

function statesIn(query: URLSearchParams): ApprovalState[] | undefined {
  const text = query.get('state');
  if (text === null) return undefined;
  const named = text.split(',');
  const unknown = named.find((it) => !(states as readonly string[]).includes(it));
  if (unknown !== undefined)
    throw new HttpError(400, 'usage', `unknown state ${JSON.stringify(unknown.slice(0, 80))}`, {
      hint: `states: ${states.join(', ')}`,
    });
  return named as ApprovalState[];
}
