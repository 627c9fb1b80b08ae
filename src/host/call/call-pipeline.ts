// The call pipeline: every call goes through these steps, in this order. Resolve the tool, check the arguments and
// freeze them (`frozen-call.ts`), decide, hold or run. A run (`audited-run.ts`) writes the intent to the audit log, runs
// the action, writes the outcome and answers.

import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { confirmToolName } from '../../model/tool-name.js';
import { type Decision, decide } from '../../policy/decide.js';
import type { TaintHold } from '../../policy/taint/taint-verdict.js';
import type { Answer, CallRequest } from '../host.js';
import type { Call } from './call.js';
import { auditSubject, bindingOf } from './call-binding.js';
import { runAllowed } from './call-execution.js';
import { refuse } from './call-failure.js';
import { freezeHooked } from './call-freezing.js';
import { notedReplay, taintHoldOf } from './call-labels.js';
import type { CallServices } from './call-services.js';
import type { Caller } from './caller.js';
import { runApproved, runConfirmed } from './confirmed-call.js';
import type { FrozenCall } from './frozen-call.js';
import { hold } from './held-call.js';
import { assertWithinLimits } from './limits.js';
import { findStandingRule, waiverAuthorization } from './standing-rule.js';
import { endorseUserText } from './user-text.js';

/** How many tools may call each other in a chain. */
const maxChain = 8;

export async function callTool(
  services: CallServices,
  caller: Caller,
  request: CallRequest,
  chain: readonly string[] = [],
): Promise<Answer> {
  const call: Call = {
    chain,
    id: services.newId('call'),
    started: services.now(),
    caller,
    request,
    callInner: (inner, innerChain) => callTool(services, caller, inner, innerChain),
  };
  try {
    if (typeof request.tool !== 'string')
      throw new HostError('usage', 'the call names no tool', { hint: 'name one as PACKAGE/TOOL' });
    services.kills.readKillFile();
    services.kills.assertNotKilled(caller);
    // A running call may always call further tools: otherwise it could not finish.
    if (chain.length === 0) services.running.assertCapacity();
    if (request.tool === confirmToolName) return await runConfirmed(services, call);

    const frozen = await freezeHooked(services, call, request.arguments);
    assertChain(chain, frozen.callable.name);
    await endorseUserText(services, call);
    // From here the arguments are fixed. What the decision needs besides them is found out here.
    const taint = await taintHoldOf(services, call, frozen);
    const quarantine = await frozen.callable.releaseConcerns();
    const { package: pkg, tool, file, requirements } = frozen.callable;
    const decision = decide({
      package: pkg,
      tool,
      file,
      requirements,
      input: frozen.input,
      taint,
      quarantine,
    });
    const repeated = decision.kind === 'deny' ? undefined : await answerOfRepeated(services, call, frozen);
    return repeated ?? (await act(services, call, frozen, decision, taint));
  } catch (error) {
    return await refuse(services, call, error);
  }
}

/** Denies the call, runs it, or holds it for a person. */
async function act(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  decision: Decision,
  taint: TaintHold | undefined,
): Promise<Answer> {
  switch (decision.kind) {
    case 'deny':
      throw new HostError('denied', decision.reasons.join('; '));
    case 'allow': {
      const waived = waiverAuthorization(decision.waivedBy, services.waivers);
      return await runAllowed(services, call, frozen, waived);
    }
    case 'ask': {
      // A standing rule or an earlier approval may already cover this call.
      const { callable, input } = frozen;
      const { principal } = call.caller;
      const rule = await findStandingRule(services.standingRules, principal, callable, input, decision.kinds);
      if (rule !== undefined) return await runAllowed(services, call, frozen, { rule: rule.id });
      const binding = await bindingOf(call.caller, frozen);
      const approved = await services.approvals.find(binding, ['approved']);
      if (approved !== undefined) return runApproved(services, call, frozen, approved, binding);
      await assertWithinLimits(services.limits, frozen.meters);
      // Serialized, so that two identical calls at the same time become one approval request.
      return services.serialize(() => hold(services, call, frozen, binding, decision, taint));
    }
  }
}

/** Denies loops, which would never end, and chains that are too long. */
function assertChain(chain: readonly string[], next: string): void {
  if (chain.includes(next))
    throw new HostError('denied', `the tools call each other in a loop: ${[...chain, next].join(' → ')}`);
  if (chain.length >= maxChain)
    throw new HostError('denied', `${chain[0]} leads to a chain of more than ${maxChain} tools`);
}

/**
 * The answer of the same call, if a crash interrupted it and this host repeated it: a caller that lost its answer asks
 * again. Undefined if there is none.
 */
async function answerOfRepeated(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
): Promise<Answer | undefined> {
  if (call.chain.length > 0 || services.repeats.isEmpty) return undefined;
  const { principal } = call.caller;
  const signal = call.request.signal ?? neverCanceled;
  const answer = await services.repeats.claim({ principal, tool: frozen.callable.name, signal }, () =>
    bindingOf(call.caller, frozen),
  );
  if (answer === undefined) return undefined;
  const body = { ...auditSubject(call, frozen), status: 'answered', repeated: answer.callId };
  await services.audit.append({ kind: 'recovery', body });
  await notedReplay(call, frozen.callable, answer);
  if (answer.status !== 'ok') return answer;
  const note = 'the host stopped during this call and repeated it when it started again; this is the answer';
  return { ...answer, warnings: [...answer.warnings, note] };
}
