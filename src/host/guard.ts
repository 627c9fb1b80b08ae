import { createHash } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type JsonObject } from '../model/json.js';
import type { RuleOrigin } from '../model/rule.js';
import type { Demands } from '../policy/combine.js';
import { who } from '../policy/spend.js';

/**
 * Holds the arguments of a call to what creator and operator asked for: refuses them, or takes personal data out.
 * The engines are loaded only where there is something to look for.
 */
export async function guardInput(
  packageId: string,
  { maxLength, denyPatterns, redact }: Demands,
  given: JsonObject,
): Promise<JsonObject> {
  if (maxLength !== undefined && [...canonicalJson(given)].length > maxLength.value) {
    throw new HostError(
      'guardrail',
      `the arguments have more than the ${maxLength.value} characters that ${speaker(packageId, maxLength.rule.origin)} allows`,
      { cause: maxLength.rule },
    );
  }
  if (denyPatterns.length > 0) {
    const { denyRules } = await import('../policy/guardrails/deny.js');
    const hit = denyRules(denyPatterns.map((it) => it.value)).hit(given);
    const demand = denyPatterns.find((it) => it.value === hit);
    if (demand !== undefined)
      throw new HostError(
        'guardrail',
        `a guardrail of ${speaker(packageId, demand.rule.origin)} refuses these arguments: they match ${hit}`,
        { cause: demand.rule },
      );
  }
  if (redact.length === 0) return given;
  const { redactPersonal } = await import('../policy/guardrails/redact.js');
  const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());
  return redactPersonal(given, redact, sha256) as JsonObject;
}

function speaker(packageId: string, origin: RuleOrigin): string {
  return origin.kind === 'manifest' ? packageId : `the operator (${who(origin)})`;
}
