import { createHash } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';

/**
 * Holds the arguments of a call to what the package's creator asked for: refuses them, or takes personal data out.
 * The engines are loaded only where there is something to look for.
 */
export async function guardInput(of: Package, given: JsonObject): Promise<JsonObject> {
  const { denyPatterns, maxLength, redact } = of.guardrails.input;
  if (maxLength !== undefined && [...canonicalJson(given)].length > maxLength) {
    throw new HostError(
      'guardrail',
      `the arguments have more than the ${maxLength} characters that ${of.id} allows`,
    );
  }
  if (denyPatterns.length > 0) {
    const { denyRules } = await import('../policy/guardrails/deny.js');
    const hit = denyRules(denyPatterns).hit(given);
    if (hit !== undefined)
      throw new HostError('guardrail', `a guardrail of ${of.id} refuses these arguments: they match ${hit}`);
  }
  if (redact.length === 0) return given;
  const { redactPersonal } = await import('../policy/guardrails/redact.js');
  const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());
  return redactPersonal(given, redact, sha256) as JsonObject;
}
