// The first half of the call pipeline: resolve the tool, check the arguments, freeze them.

import { sha256 } from '../../files/sha256.js';
import { isAppOnly } from '../../model/app-resource.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, deepFreeze, type Json, type JsonObject } from '../../model/json.js';
import type { Deadline } from '../../run/upstream/upstream.js';
import { checkArguments } from './arguments.js';
import type { CallServices } from './call-services.js';
import type { CallableTool } from './callable-tool.js';
import { type Caller, killSubjectOf } from './caller.js';
import { type ArgumentOrigin, withFixedArguments } from './fixed-call-arguments.js';
import { withHidden } from './hidden-results.js';
import { applyInputGuardrails, hasInputGuardrails } from './input-guardrails.js';
import { callMeters, type RuleMeter } from './limits.js';

/** A call whose arguments passed all checks and can no longer change. */
export interface FrozenCall {
  readonly callable: CallableTool;
  readonly input: JsonObject;
  /** Digest of the input. */
  readonly digest: string;
  /** What the call uses up of the rate and spend limits that apply to it. */
  readonly meters: readonly RuleMeter[];
  /** Sent beside the arguments. Absent if a hook or guardrail looks at the arguments: it would not see this. */
  readonly meta?: JsonObject;
}

interface FreezeOptions {
  /** For a call that may start programs. Absent: nothing is started. */
  readonly deadline?: Deadline;
  readonly beforeHooks?: ((callable: CallableTool, input: JsonObject) => Promise<JsonObject>) | undefined;
  /** Default: `caller`. */
  readonly origin?: ArgumentOrigin;
  /** The tool that makes the call; undefined for a call from outside. */
  readonly from?: string | undefined;
  /** Sent beside the arguments. It must not contain secrets either. */
  readonly meta?: JsonObject | undefined;
  /** `hidden`: tools that are for MCP Apps alone do not exist. */
  readonly apps?: 'shown' | 'hidden' | undefined;
}

/** Requires a ready tool and valid arguments, then freezes them: nothing changes the arguments after this. */
export async function freezeCall(
  services: CallServices,
  caller: Caller,
  name: string,
  args: Json,
  { deadline, beforeHooks, origin = 'caller', from, meta, apps }: FreezeOptions = {},
): Promise<FrozenCall> {
  const callable = await caller.resolve(name, from);
  if (apps === 'hidden' && isAppOnly(callable.tool))
    throw new HostError('tool_not_found', `no tool named ${JSON.stringify(name)}`);
  services.kills.assertNotKilled(killSubjectOf(caller, callable));
  if (deadline !== undefined) await callable.compareAgain(deadline);
  try {
    await callable.assertReady();
  } catch (error) {
    throw deadline === undefined ? error : await callable.notStarted(error);
  }
  const labels = await caller.labels();
  const { args: opened, used } = withHidden(callable, args, labels);
  const checking = { beforeHooks, origin, meta };
  try {
    return await freezeOpened(caller, callable, opened, checking);
  } catch (error) {
    // The message may quote what was hidden.
    for (const id of used) labels.reveal(id);
    throw error;
  }
}

/** The part that sees hidden results in clear. */
async function freezeOpened(
  caller: Caller,
  callable: CallableTool,
  args: Json,
  {
    beforeHooks,
    origin,
    meta,
  }: Pick<FreezeOptions, 'beforeHooks' | 'meta'> & { readonly origin: ArgumentOrigin },
): Promise<FrozenCall> {
  const valid = await checkArguments(callable, withFixedArguments(callable, args, origin));
  const hooked = beforeHooks === undefined ? valid : await beforeHooks(callable, valid);
  // Arguments that an extension changed are checked again.
  const checked =
    hooked === valid ? valid : await checkArguments(callable, withFixedArguments(callable, hooked, 'host'));
  const input = deepFreeze(await applyInputGuardrails(callable.package.id, callable.requirements, checked));
  await callable.checkForSecrets(input);
  if (meta !== undefined) await callable.checkForSecrets(meta);
  const meters = callMeters(caller.principal, callable, input);
  const isInspected = beforeHooks !== undefined || hasInputGuardrails(callable.requirements);
  const sent = meta === undefined || isInspected ? {} : { meta };
  return { callable, input, digest: sha256(canonicalJson(input)), meters, ...sent };
}
