import type { Approvals } from '../../../host/host.js';
import type { ApprovalState } from '../../../model/approval.js';
import { approvalsDocument } from '../../print/approval-document.js';
import { Refusal } from '../refusal.js';
import { type Answered, documentOf, type Route } from '../route.js';

const states: readonly ApprovalState[] = [
  'proposed',
  'approved',
  'denied',
  'expired',
  'executing',
  'executed',
];

const shown: Answered = {
  text: 'Held calls with all their arguments.',
  schema: documentOf('toolport/approvals@1', { requests: { type: 'array', items: { type: 'object' } } }),
};
const missing: Answered = { text: 'No held call has that id.' };

/** Decisions on held calls. No agent reaches these. */
export function approvalRoutes(approvals: Approvals): readonly Route[] {
  const decide = (verb: 'approve' | 'deny', summary: string): Route => ({
    method: 'POST',
    path: `/api/v1/approvals/{id}/${verb}`,
    role: 'operator',
    summary,
    answers: { 200: shown, 404: missing },
    answer: async ({ parts, caller }) => ({
      body: approvalsDocument([await approvals[verb](parts.id as string, caller.principal)]),
    }),
  });
  return [
    {
      method: 'GET',
      path: '/api/v1/approvals',
      role: 'operator',
      summary: 'Calls that wait for a decision, or were approved and not yet run.',
      query: { state: `only those: ${states.join(', ')}, with commas between` },
      answers: { 200: shown },
      answer: async ({ query }) => ({ body: approvalsDocument(await approvals.list(wanted(query))) }),
    },
    {
      method: 'GET',
      path: '/api/v1/approvals/{id}',
      role: 'operator',
      summary: 'One held call.',
      answers: { 200: shown, 404: missing },
      answer: async ({ parts }) => ({ body: approvalsDocument([await approvals.get(parts.id as string)]) }),
    },
    decide('approve', 'Lets exactly that call run, once.'),
    decide('deny', 'Refuses that call.'),
  ];
}

function wanted(query: URLSearchParams): ApprovalState[] | undefined {
  const text = query.get('state');
  if (text === null) return undefined;
  const named = text.split(',');
  const strange = named.find((it) => !(states as readonly string[]).includes(it));
  if (strange !== undefined)
    throw new Refusal(400, 'usage', `${JSON.stringify(strange.slice(0, 80))} is not a state`, {
      hint: `states are ${states.join(', ')}`,
    });
  return named as ApprovalState[];
}
