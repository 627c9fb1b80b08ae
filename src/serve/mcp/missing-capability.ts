import { missingCapabilityCode } from '../../model/client-capability.js';
import type { ToolError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { RpcError } from './json-rpc.js';

/**
 * The error of a server of the 2026 era that needs more of its client, for a client that did not declare it. Undefined
 * for all other errors, also if the client has everything and the operator does not let the server use it.
 */
export function missingCapability(error: ToolError | undefined, declared: JsonObject): RpcError | undefined {
  if (error?.code !== String(missingCapabilityCode) || !isObject(error.details)) return undefined;
  const { requiredCapabilities } = error.details;
  const required = isObject(requiredCapabilities) ? Object.keys(requiredCapabilities) : [];
  const missing = required.filter((it) => !Object.hasOwn(declared, it));
  if (missing.length === 0) return undefined;
  return new RpcError(missingCapabilityCode, error.message ?? 'the client lacks a capability', {
    requiredCapabilities: Object.fromEntries(missing.map((it) => [it, {}])),
  });
}
