import type { Reservation } from '../../store/limit-statements.js';
import type { Answer } from '../host.js';
import { runAudited } from './audited-run.js';
import { type Call, deadlineOf, hookContext } from './call.js';
import { runAfterCallHooks } from './call-hooks.js';
import type { CallServices } from './call-services.js';
import { killSubjectOf } from './caller.js';
import type { FrozenCall } from './frozen-call.js';
import { releaseReservation, reserveLimits } from './limits.js';
import type { CallAuthorization } from './standing-rule.js';

/** Runs a call that needs no approval, or whose question a standing rule or the settings removed. */
export async function runAllowed(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  authorization?: CallAuthorization,
): Promise<Answer> {
  const { callable } = frozen;
  await callable.assertSandboxReady();
  // Before such a call the definition is compared in any case; before others only if it may be outdated.
  if (authorization !== undefined || callable.tool.effect === 'destructive')
    await callable.assertUnchanged(deadlineOf(call));
  const { meters } = frozen;
  const reservation = meters.length === 0 ? null : await reserveLimits(services.limits, meters);
  return await execute(services, call, frozen, reservation, authorization);
}

/** Runs the call as a stoppable unit, then runs the after-call hooks in the background. */
export async function execute(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  reservation: Reservation | null,
  authorization?: CallAuthorization,
): Promise<Answer> {
  const subject = killSubjectOf(call.caller, frozen.callable);
  const run = services.running.enter(subject, call.request.signal);
  try {
    // After `enter`: a kill from now on finds this call among the running ones.
    services.kills.readKillFile();
    if (services.kills.reasonFor(subject) !== undefined) {
      await releaseReservation(services.limits, reservation);
      services.kills.assertNotKilled(subject);
    }
    const answer = await runAudited(services, call, frozen, run, reservation, authorization);
    if (call.caller.hasHooks()) services.runInBackground(notifyHooks(services, call, frozen, answer));
    return answer;
  } finally {
    run.leave();
  }
}

async function notifyHooks(
  services: CallServices,
  call: Call,
  { callable, input }: FrozenCall,
  answer: Answer,
) {
  return runAfterCallHooks(hookContext(services, call, callable, await call.caller.hooks()), input, answer);
}
