import { sha256Bytes } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type JsonObject } from '../../model/json.js';
import type { RuleOrigin } from '../../model/rule.js';
import type { Requirements } from '../../policy/rules/requirements.js';
import { ruleOwner } from '../../policy/rules/spend-limit.js';

/** Whether a guardrail looks at the arguments. */
export function hasInputGuardrails({ maxLength, denyPatterns, redact }: Requirements): boolean {
  return maxLength !== undefined || denyPatterns.length > 0 || redact.length > 0;
}

/**
 * Applies the guardrails of creator and operator to the arguments of a call: rejects them, or removes personal data.
 * The pattern and redaction code is loaded only if a guardrail needs it.
 */
export async function applyInputGuardrails(
  packageId: string,
  { maxLength, denyPatterns, redact }: Requirements,
  input: JsonObject,
): Promise<JsonObject> {
  if (maxLength !== undefined && [...canonicalJson(input)].length > maxLength.value) {
    throw new HostError(
      'guardrail',
      `the arguments are longer than the ${maxLength.value} characters that ${ownerText(packageId, maxLength.rule.origin)} allows`,
      { cause: maxLength.rule },
    );
  }
  if (denyPatterns.length > 0) {
    const { compileDenyPatterns } = await import('../../policy/guardrails/deny-patterns.js');
    const hit = compileDenyPatterns(denyPatterns.map((it) => it.value)).firstMatch(input);
    const requirement = denyPatterns.find((it) => it.value === hit);
    if (requirement !== undefined)
      throw new HostError(
        'guardrail',
        `a guardrail of ${ownerText(packageId, requirement.rule.origin)} rejects these arguments: they match ${hit}`,
        { cause: requirement.rule },
      );
  }
  if (redact.length === 0) return input;
  const { redactPersonal } = await import('../../policy/guardrails/redact-personal.js');
  return redactPersonal(input, redact, sha256Bytes) as JsonObject;
}

function ownerText(packageId: string, origin: RuleOrigin): string {
  return origin.kind === 'manifest' ? packageId : `the operator (${ruleOwner(origin)})`;
}
