import { signal } from '@preact/signals';
import { type ApprovalRequest, isHeldForTaint } from '../../../model/approval.js';
import { answerableKinds } from '../../../model/standing-rule.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** What a person writes about a held call before they decide. */
export interface DecisionTexts {
  /** What the caller is told if the call is denied. */
  readonly note: string;
  /** What the person asked the agent for. */
  readonly asked: string;
}

const none: DecisionTexts = { note: '', asked: '' };
/** By the id of the call. They stay while other pages are open, and the keys use them too. */
const texts = signal<Readonly<Record<string, DecisionTexts>>>({});
/** Calls with a decision, also on its way: a second key or click does not send another one. */
const deciding = new Set<string>();

export function decisionTexts({ id }: ApprovalRequest): DecisionTexts {
  return texts.value[id] ?? none;
}

export function write({ id }: ApprovalRequest, part: Partial<DecisionTexts>): void {
  const known = texts.peek();
  texts.value = { ...known, [id]: { ...(known[id] ?? none), ...part } };
}

/** Whether its arguments can be changed one by one. */
export function hasArguments({ arguments: args }: ApprovalRequest): boolean {
  return typeof args === 'object' && args !== null && !Array.isArray(args);
}

/** Whether a standing rule can answer calls like this one. What a session has seen needs a person each time. */
export function mayBeRule(call: ApprovalRequest): boolean {
  return hasArguments(call) && answerableKinds.has(call.kind) && !isHeldForTaint(call);
}

/** Lets exactly this call run, once. */
export function approve(call: ApprovalRequest): Promise<boolean> {
  const { asked } = decisionTexts(call);
  return decide(call, async () => {
    await hostApi.approvals.approve(call.id, me, undefined, asked === '' ? undefined : asked);
    return `${call.tool} was approved. It runs once.`;
  });
}

export function deny(call: ApprovalRequest): Promise<boolean> {
  const { note } = decisionTexts(call);
  return decide(call, async () => {
    await hostApi.approvals.deny(call.id, me, note === '' ? undefined : note);
    return `${call.tool} was denied.`;
  });
}

async function decide({ id }: ApprovalRequest, work: () => Promise<string>): Promise<boolean> {
  if (deciding.has(id)) return false;
  deciding.add(id);
  const isDecided = await attempt(work);
  // A decided call stays there until the page has read the list again.
  if (!isDecided) deciding.delete(id);
  else {
    const { [id]: _, ...rest } = texts.peek();
    texts.value = rest;
  }
  return isDecided;
}
