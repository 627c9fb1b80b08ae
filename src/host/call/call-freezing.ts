import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js';
import { type Call, deadlineOf, hookContext } from './call.js';
import { runBeforeCallHooks } from './call-hooks.js';
import { noteHookArguments, noteOther } from './call-labels.js';
import type { CallServices } from './call-services.js';
import type { CallableTool } from './callable-tool.js';
import type { ArgumentOrigin } from './fixed-call-arguments.js';
import { type FrozenCall, freezeCall } from './frozen-call.js';
import { handlersFor } from './hooks.js';

/** Freezes the arguments of a call from a session or another tool, after the hooks of extensions saw them. */
export async function freezeHooked(
  services: CallServices,
  call: Call,
  args: Json,
  origin?: ArgumentOrigin,
): Promise<FrozenCall> {
  const { caller, request, chain } = call;
  const handlers = caller.hasHooks() ? await caller.hooks() : [];
  const beforeHooks = async (callable: CallableTool, input: JsonObject) => {
    const changed = await runBeforeCallHooks(hookContext(services, call, callable, handlers), input).catch(
      async (error: unknown) => {
        // The reason of an extension is its own text.
        if (error instanceof HostError)
          await noteOther(caller, 'extension', error.message, 'before_tool_call');
        throw error;
      },
    );
    if (changed === input) return input;
    // A person wrote these arguments and approved exactly them.
    if (origin === 'host' && chain.length === 0 && canonicalJson(changed) !== canonicalJson(input))
      throw new HostError(
        'denied',
        `an extension would change the arguments of ${callable.name} that a person wrote`,
      );
    await noteHookArguments(call, input, changed);
    return changed;
  };
  return await freezeCall(services, caller, request.tool, args, {
    deadline: deadlineOf(call),
    meta: request.meta,
    apps: request.apps,
    ...(handlersFor(handlers, 'before_tool_call').length === 0 ? {} : { beforeHooks }),
    ...(origin === undefined ? {} : { origin }),
    ...(chain.length === 0 ? {} : { origin: 'host', from: chain.at(-1) }),
  });
}
