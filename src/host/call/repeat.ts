// Repeats calls of idempotent tools that a crash of the host interrupted: the same call, with the same id as its key. All
// checks are made again. What ran once with permission may not run again without it.

import { neverCanceled } from '../../model/cancel-signal.js';
import { asHostError, HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { decide } from '../../policy/decide.js';
import type { RepeatableCallTable } from '../../store/call-tables.js';
import { changeOf } from '../operator/approval-operations.js';
import type { Call } from './call.js';
import { bindingOf } from './call-binding.js';
import { execute } from './call-execution.js';
import { callTool } from './call-pipeline.js';
import type { CallServices } from './call-services.js';
import { mayRepeat } from './call-tries.js';
import type { Caller } from './caller.js';
import { type FrozenCall, freezeCall } from './frozen-call.js';
import { assertWithinLimits } from './limits.js';
import { type CallAuthorization, findStandingRule, waiverAuthorization } from './standing-rule.js';

/** Starts to repeat the calls of the session's principal, in the background. Resolves when they are taken. */
export async function repeatInterrupted(services: CallServices, caller: Caller): Promise<void> {
  const { repeats, runInBackground } = services;
  const { principal } = caller;
  // Another session looks at some of them now. What it cannot make may be for this one.
  const others = repeats.isRunning(principal) ? repeats.whenIdle(principal) : undefined;
  for (const row of await repeats.take(principal))
    runInBackground(services.running.track(() => repeat(services, caller, row)));
  if (others !== undefined) runInBackground(others.then(() => repeatInterrupted(services, caller)));
}

async function repeat(services: CallServices, session: Caller, row: RepeatableCallTable): Promise<void> {
  const { repeats } = services;
  // The call belongs to the client that made it.
  const caller = { ...session, client: row.client };
  try {
    const ready = await checkAgain(services, caller, row);
    if (ready === 'elsewhere') return repeats.release(row, row.starts);
    const { frozen, authorization } = ready;
    const call: Call = {
      chain: [],
      id: row.call,
      started: services.now(),
      caller,
      request: { tool: row.tool, arguments: frozen.input, timeoutMs: row.timeout_ms },
      repeats: row.starts,
      callInner: (inner, chain) => callTool(services, caller, inner, chain),
    };
    const answer = await execute(services, call, frozen, null, authorization);
    if (answer.status !== 'ok' && 'error' in answer && answer.error?.code === 'canceled')
      return repeats.release(row, row.starts + 1);
    if (row.approval !== null) await services.approvals.finish(row.approval, answer as unknown as Json);
    await repeats.finish(row, answer);
  } catch (error) {
    const { code, message } = asHostError(error);
    if (code === 'internal') services.logBug(error);
    await repeats.giveUp(row, code === 'internal' ? code : message);
  }
}

interface Ready {
  readonly frozen: FrozenCall;
  readonly authorization: CallAuthorization | undefined;
}

/** Throws why the call must not run any more. `elsewhere`: this session cannot make the call, but another one may. */
async function checkAgain(
  services: CallServices,
  caller: Caller,
  row: RepeatableCallTable,
): Promise<Ready | 'elsewhere'> {
  services.kills.readKillFile();
  services.kills.assertNotKilled(caller);
  const deadline = { timeoutMs: row.timeout_ms, signal: neverCanceled };
  const args = await services.repeats.argumentsOf(row);
  let frozen: FrozenCall;
  try {
    frozen = await freezeCall(services, caller, row.tool, args, { deadline, origin: 'host' });
  } catch (error) {
    if (error instanceof HostError && error.code === 'tool_not_found') return 'elsewhere';
    throw error;
  }
  const binding = await bindingOf(caller, frozen);
  // Another workspace or other grants: a session of the same caller, but not the one that made the call.
  if (frozen.digest === row.digest && binding.argumentsDigest !== row.arguments_digest) return 'elsewhere';
  const change =
    frozen.digest === row.digest
      ? changeOf({ ...binding, ...boundTo(row) }, binding)
      : 'the rules for its arguments were changed';
  if (change !== undefined) throw new HostError('denied', `since the call, ${change}`);
  if (!mayRepeat(frozen.callable.tool))
    throw new HostError('denied', `${row.tool} is not declared idempotent`);
  const authorization = await authorize(services, caller, frozen, row);
  await frozen.callable.assertSandboxReady();
  if (authorization !== undefined || frozen.callable.tool.effect === 'destructive')
    await frozen.callable.assertUnchanged(deadline);
  // The call is already counted, so it may fill the last place of a limit, but not exceed it.
  const counted = frozen.meters.map((it) => ({ ...it, meter: { ...it.meter, amount: 0 } }));
  await assertWithinLimits(services.limits, counted);
  return { frozen, authorization };
}

async function authorize(
  services: CallServices,
  caller: Caller,
  { callable, input }: FrozenCall,
  row: RepeatableCallTable,
): Promise<CallAuthorization | undefined> {
  const decision = decide({ ...callable, input, quarantine: await callable.releaseConcerns() });
  switch (decision.kind) {
    case 'deny':
      throw new HostError('denied', decision.reasons.join('; '));
    case 'allow':
      return waiverAuthorization(decision.waivedBy, services.waivers);
    case 'ask': {
      const { standingRules } = services;
      const rule = await findStandingRule(standingRules, caller.principal, callable, input, decision.kinds);
      if (rule !== undefined) return { rule: rule.id };
      // The person approved exactly this call. It is still the same one: same arguments, same key.
      const approval = row.approval === null ? undefined : await services.approvals.get(row.approval);
      const isValid = approval?.state === 'executing' && approval.expiresAt > services.now();
      // A person who approved it before the registry warned did not know that.
      const isInformed = !decision.kinds.includes('quarantine') || approval?.kind === 'quarantine';
      if (!isValid || approval === undefined || !isInformed)
        throw new HostError(
          'approval_expired',
          'a person must approve it, and the approval is not valid any more',
        );
      return { approval: approval.id };
    }
  }
}

function boundTo({ definition, policy, credentials }: RepeatableCallTable) {
  return { definition, policy, credentials };
}
