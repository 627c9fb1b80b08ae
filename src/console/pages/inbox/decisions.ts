import type { ApprovalRequest } from '../../../model/approval.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** Lets exactly this call run, once. `asked`: what the person asked the agent for. */
export function approve({ id, tool }: ApprovalRequest, asked = ''): Promise<boolean> {
  return attempt(async () => {
    await hostApi.approvals.approve(id, me, undefined, asked === '' ? undefined : asked);
    return `${tool} was approved. It runs once.`;
  });
}

/** `note`: what the caller is told. */
export function deny({ id, tool }: ApprovalRequest, note: string): Promise<boolean> {
  return attempt(async () => {
    await hostApi.approvals.deny(id, me, note === '' ? undefined : note);
    return `${tool} was denied.`;
  });
}
