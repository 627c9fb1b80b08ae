import { asHostError } from '../../model/host-error.js';
import type { Answer } from '../host.js';
import { failedAnswer } from './answer.js';
import { answerBase, type Call } from './call.js';
import type { CallServices } from './call-services.js';

/** Characters of a tool name in the audit log; the name may be anything the caller sent. */
const maxAuditedName = 200;

/** Ends a call that did not run, with an audit entry. */
export async function refuse(
  services: CallServices,
  call: Call,
  error: unknown,
  tool?: string,
): Promise<Answer> {
  const { code } = asHostError(error);
  const body = {
    callId: call.id,
    principal: call.caller.principal,
    session: call.caller.id,
    tool: String(tool ?? call.request.tool).slice(0, maxAuditedName),
    code,
  };
  await services.audit.append({ kind: 'refusal', body });
  return failed(services, call, error, tool ?? String(call.request.tool));
}

/** Details of a bug go to the log only. */
export function failed(services: CallServices, call: Call, error: unknown, tool: string): Answer {
  if (asHostError(error).code === 'internal') services.logBug(error);
  return { ...answerBase(services, call), ...failedAnswer(error, tool) };
}
