import type { Approvals } from '../../../host/host.js';
import type { ApprovalState } from '../../../model/approval.js';
import type { Signal } from '../../../model/signal.js';
import { approvalsDocument } from '../../print/approval-document.js';
import { operatorOf } from '../operator.js';
import { Refusal } from '../refusal.js';
import { type Answered, documentOf, type Route } from '../route.js';

const states: readonly ApprovalState[] = [
  'proposed',
  'approved',
  'denied',
  'expired',
  'void',
  'executing',
  'executed',
];

const shown: Answered = {
  text: 'Held calls with all their arguments.',
  schema: documentOf('toolwharf/approvals@1', { requests: { type: 'array', items: { type: 'object' } } }),
};
const missing: Answered = { text: 'No held call has that id.' };
const longestWaitSeconds = 60;

/** Decisions on held calls. No agent reaches these. */
export function approvalRoutes(approvals: Approvals): readonly Route[] {
  const decide = (verb: 'approve' | 'deny', summary: string): Route => ({
    method: 'POST',
    path: `/api/v1/approvals/{id}/${verb}`,
    role: 'operator',
    summary,
    answers: { 200: shown, 404: missing },
    answer: async (exchange) => ({
      body: approvalsDocument([await approvals[verb](exchange.parts.id as string, operatorOf(exchange))]),
    }),
  });
  return [
    {
      method: 'GET',
      path: '/api/v1/approvals',
      role: 'operator',
      summary: 'Calls that wait for a decision, or were approved and not yet run.',
      query: {
        state: `only those: ${states.join(', ')}, with commas between`,
        after: 'version of an earlier answer: wait until something is another',
        wait: `with after: how many seconds to wait at most, up to ${longestWaitSeconds} (25 unless told)`,
      },
      answers: { 200: shown },
      answer: async ({ query, signal }) => {
        const named = wanted(query);
        await changed(approvals, query, signal);
        const version = await approvals.version();
        return { body: { ...approvalsDocument(await approvals.list(named)), version } };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/approvals/{id}',
      role: 'operator',
      summary: 'One held call.',
      answers: { 200: shown, 404: missing },
      answer: async ({ parts }) => ({ body: approvalsDocument([await approvals.get(parts.id as string)]) }),
    },
    decide('approve', 'Lets exactly that call run, once. With a PIN set, needs it or a sign-in.'),
    decide('deny', 'Refuses that call.'),
  ];
}

/** Comes back at once where something changed since, else when it does or the time is up. */
async function changed(approvals: Approvals, query: URLSearchParams, signal: Signal): Promise<void> {
  const after = query.get('after');
  if (after === null) return;
  const seconds = Number(query.get('wait') ?? '25');
  if (!(seconds >= 0 && seconds <= longestWaitSeconds))
    throw new Refusal(400, 'usage', `wait must be a number of seconds up to ${longestWaitSeconds}`);
  let stop = () => {};
  const moved = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    const forget = approvals.onChange(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    stop = () => {
      clearTimeout(timer);
      forget();
    };
  });
  try {
    // Listening began before the look, so that nothing slips in between.
    if ((await approvals.version()) === after) await moved;
  } finally {
    stop();
  }
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
