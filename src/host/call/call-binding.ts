import { sha256 } from '../../files/sha256.js';
import type { ApprovalBinding } from '../../model/approval.js';
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js';
import type { Call } from './call.js';
import type { Caller } from './caller.js';
import type { FrozenCall } from './frozen-call.js';

/** Everything a person's decision is bound to. If any part differs, it is a different call. */
export async function bindingOf(caller: Caller, { callable, input }: FrozenCall): Promise<ApprovalBinding> {
  return {
    principal: caller.principal,
    client: caller.client,
    tool: callable.name,
    definition: callable.digest,
    // Covers the arguments, the workspace and the grants: a person approves all three.
    argumentsDigest: sha256(canonicalJson({ arguments: input, ...callable.context } as unknown as Json)),
    policy: callable.policy,
    credentials: await callable.credentials(),
  };
}

/** What entries of the audit log say about a call that did not run. */
export function auditSubject(call: Call, { callable, digest }: FrozenCall): JsonObject {
  return {
    callId: call.id,
    principal: call.caller.principal,
    session: call.caller.id,
    tool: callable.name,
    definition: callable.digest,
    arguments: digest,
  };
}
