import type { AuditDurability } from '../../model/audit-durability.js';
import type { JsonObject } from '../../model/json.js';
import { shapeOf } from '../../policy/input-shape.js';
import type { RepeatableCallChange } from '../../store/call-tables.js';
import type { Call } from './call.js';
import { bindingOf } from './call-binding.js';
import type { CallServices } from './call-services.js';
import { mayRepeat } from './call-tries.js';
import type { FrozenCall } from './frozen-call.js';
import { sealArguments } from './kept-arguments.js';
import type { CallAuthorization } from './standing-rule.js';

/**
 * Writes to the audit log that a call is about to run. It must be on disk before anything is read or changed; pure
 * computation may run ahead of it.
 */
export async function writeIntent(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  timeoutMs: number,
  authorization: CallAuthorization | undefined,
): Promise<{ readonly isRepeatable: boolean }> {
  const { callable, input, digest } = frozen;
  const { argumentKeeping } = callable;
  const sealedArguments =
    argumentKeeping === null || call.repeats !== undefined
      ? undefined
      : await sealArguments(services.seal, {
          id: call.id,
          digest,
          input,
          keeping: argumentKeeping,
          at: call.started,
        });
  const repeatable = mayRepeat(callable.tool)
    ? await repeatableChange(services, call, frozen, timeoutMs, authorization)
    : undefined;
  const entry = {
    kind: 'intent',
    body: intentBody(call, frozen, authorization),
    ...(sealedArguments === undefined ? {} : { sealedArguments }),
    ...(repeatable === undefined ? {} : { repeatable }),
  } as const;
  if (callable.tool.effect === 'none' && authorization === undefined) services.audit.enqueue(entry);
  else await services.audit.append(entry, durabilityOf(frozen, authorization));
  return { isRepeatable: repeatable !== undefined };
}

/** A call that a person approved, that destroys or that costs money is on disk first, in each mode. */
function durabilityOf(
  { callable }: FrozenCall,
  authorization: CallAuthorization | undefined,
): AuditDurability {
  const { usageModel = 'none' } = callable.package.cost ?? {};
  const { maxAmount, askAbove, spends } = callable.requirements;
  const isPaid =
    usageModel !== 'none' || maxAmount !== undefined || askAbove !== undefined || spends.length > 0;
  const isOrdinary = authorization === undefined && callable.tool.effect !== 'destructive' && !isPaid;
  return isOrdinary ? callable.auditDurability : 'call';
}

function intentBody(
  call: Call,
  { callable, input, digest }: FrozenCall,
  authorization: CallAuthorization | undefined,
) {
  // Keys are in canonical order, which saves sorting them.
  return {
    arguments: digest,
    callId: call.id,
    definition: callable.digest,
    effect: callable.tool.effect,
    principal: call.caller.principal,
    session: call.caller.id,
    ...(callable.set === null ? {} : { set: { digest: callable.set.digest, name: callable.set.name } }),
    shape: shapeOf(input, callable.tool.input),
    tool: callable.name,
    ...(callable.sandboxed ? {} : { noSandbox: true }),
    ...(call.repeats === undefined ? {} : { repeats: call.repeats }),
    ...(authorization as JsonObject | undefined),
  };
}

/** What makes a call repeatable, stored with its intent. Undefined if its arguments cannot be sealed. */
async function repeatableChange(
  { repeats }: CallServices,
  call: Call,
  frozen: FrozenCall,
  timeoutMs: number,
  authorization: CallAuthorization | undefined,
): Promise<RepeatableCallChange | undefined> {
  if (call.repeats !== undefined) return { kind: 'started-again', call: call.id };
  const { digest, input, callable } = frozen;
  const row = await repeats.keep({
    ...{ id: call.id, binding: await bindingOf(call.caller, frozen), digest, input, timeoutMs },
    approval: authorization !== undefined && 'approval' in authorization ? authorization.approval : null,
    at: call.started,
    keyStorage: callable.keyStorage,
  });
  return row === undefined ? undefined : { kind: 'started', row };
}
