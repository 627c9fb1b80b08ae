import type { ApprovalBinding, ApprovalRequest } from '../../model/approval.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { confirmToolName } from '../../model/tool-name.js';
import type { Answer } from '../host.js';
import { changeOf } from '../operator/approval-operations.js';
import { answerBase, type Call, deadlineOf } from './call.js';
import { bindingOf } from './call-binding.js';
import { execute } from './call-execution.js';
import { refuse } from './call-failure.js';
import { notedReplay } from './call-labels.js';
import type { CallServices } from './call-services.js';
import { type FrozenCall, freezeCall } from './frozen-call.js';
import { deniedCall, shownConfirmation, voidOutdated } from './held-call.js';
import { releaseReservation, reserveLimits } from './limits.js';
import { freezeReplaced, withReplaced } from './replaced-call.js';

/** Runs or reports a held call for the agent. Only the stored call runs, and only after a person approved it. */
export async function runConfirmed(services: CallServices, call: Call): Promise<Answer> {
  const args = isObject(call.request.arguments) ? call.request.arguments : {};
  const token = args.confirmation_token ?? args.token;
  if (typeof token !== 'string')
    throw new HostError('invalid_input', `${confirmToolName} needs the confirmation_token of a held call`);
  const stored = await services.approvals.get(token);
  const { principal, client } = call.caller;
  if (stored === undefined || stored.principal !== principal || stored.client !== client) {
    throw new HostError('approval_not_found', 'you have no held call with this token');
  }
  if (stored.state !== 'approved') {
    const body = {
      callId: call.id,
      principal: call.caller.principal,
      approval: stored.id,
      state: stored.state,
    };
    await services.audit.append({ kind: 'hold', body });
  }
  switch (stored.state) {
    case 'proposed': {
      const error = {
        code: 'approval_pending',
        message: 'this call is still waiting for approval',
        hint: `toolwharf approvals approve ${stored.id}`,
      } as const;
      return {
        ...answerBase(services, call),
        tool: stored.tool,
        status: 'confirmation_required',
        confirmation: await shownConfirmation(services, call, stored),
        error,
      };
    }
    case 'denied':
      throw await deniedCall(services, stored.id);
    case 'expired':
      throw new HostError('approval_expired', 'nobody decided in time; call the tool again');
    case 'void':
      throw new HostError('approval_expired', `${stored.voidReason}; call the tool again`);
    case 'executing':
      throw new HostError(
        'approval_denied',
        'this call was started and its outcome is unknown; it will not run again',
      );
    case 'executed':
      if (stored.answer === null)
        throw new HostError('approval_expired', 'the answer of this call is no longer stored');
      return await replayed(call, stored.tool, stored.answer as unknown as Answer);
    case 'approved': {
      const frozen = await freezeCall(services, call.caller, stored.tool, stored.arguments, {
        deadline: deadlineOf(call),
        origin: 'host',
      });
      const binding = await bindingOf(call.caller, frozen);
      // With another workspace or other grants it is a different call, and the stored one stays valid.
      if (binding.argumentsDigest === stored.argumentsDigest) await voidOutdated(services, [stored], binding);
      const change = changeOf(stored, binding);
      if (change !== undefined || binding.argumentsDigest !== stored.argumentsDigest) {
        const what = change ?? 'the workspace or the grants were changed';
        throw new HostError('approval_expired', `since the approval, ${what}; call the tool again`);
      }
      return await runApproved(services, call, frozen, stored, binding);
    }
  }
}

/** The answer of an approved call that already ran. It counts for the session that gets it now. */
async function replayed(call: Call, tool: string, answer: Answer): Promise<Answer> {
  return notedReplay(call, await call.caller.resolve(tool), answer);
}

/** Runs an approved call once: only the caller that moves the request from approved to executing runs it. */
export async function runApproved(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  approval: ApprovalRequest,
  binding: ApprovalBinding,
): Promise<Answer> {
  const isReplaced = approval.replacement !== null;
  const run = isReplaced ? await freezeReplaced(services, call, approval) : frozen;
  // Checked first: a call that cannot run now does not use up the approval.
  await run.callable.assertSandboxReady();
  await run.callable.assertUnchanged(deadlineOf(call));
  const reservation = await reserveLimits(services.limits, run.meters);
  if (!(await services.approvals.begin(approval.id, binding))) {
    await releaseReservation(services.limits, reservation);
    throw new HostError('approval_denied', 'this approval was already used or is no longer valid');
  }
  // From now on, what the person agreed to needs no question again. What the person replaced was not agreed to.
  if (!isReplaced) await services.taintHolds.endorse(approval);
  const answered = await execute(services, call, run, reservation, { approval: approval.id }).catch((error) =>
    refuse(services, call, error, run.callable.name),
  );
  const answer = isReplaced ? withReplaced(answered, run) : answered;
  // Nothing ran: an inner call waits for approval. The approval stays valid for the next attempt.
  if (answer.status === 'confirmation_required') await services.approvals.revertToApproved(approval.id);
  else await services.approvals.finish(approval.id, answer as unknown as Json);
  return answer;
}
