import type { Approvals } from '../../../host/host.js';
import type { ApprovalState } from '../../../model/approval.js';
import type { CancelSignal } from '../../../model/cancel-signal.js';
import { approvalsDocument } from '../../print/approval-document.js';
import { HttpError } from '../http-error.js';
import { operatorOf } from '../request-operator.js';
import { documentSchema, type ResponseSpec, type Route } from '../route.js';

const states: readonly ApprovalState[] = [
  'proposed',
  'approved',
  'denied',
  'expired',
  'void',
  'executing',
  'executed',
];

const approvalsResponse: ResponseSpec = {
  description: 'Held calls with their arguments.',
  schema: documentSchema('toolwharf/approvals@1', { requests: { type: 'array', items: { type: 'object' } } }),
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
        await waitForChange(approvals, query, signal);
        const version = await approvals.version();
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

/** Returns when the list differs from the version in `after`, or when the time is up. */
async function waitForChange(
  approvals: Approvals,
  query: URLSearchParams,
  signal: CancelSignal,
): Promise<void> {
  const after = query.get('after');
  if (after === null) return;
  const seconds = Number(query.get('wait') ?? '25');
  if (!(seconds >= 0 && seconds <= maxWaitSeconds))
    throw new HttpError(400, 'usage', `wait must be a number of seconds from 0 to ${maxWaitSeconds}`);
  let stop = () => {};
  const changed = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    const unsubscribe = approvals.onChange(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    stop = () => {
      clearTimeout(timer);
      unsubscribe();
    };
  });
  try {
    // Subscribed before the check, so that no change is missed.
    if ((await approvals.version()) === after) await changed;
  } finally {
    stop();
  }
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
