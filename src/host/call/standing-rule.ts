import type { JsonObject } from '../../model/json.js';
import { type Rule, ruleOriginText } from '../../model/rule.js';
import { answerableKinds, type StandingRule } from '../../model/standing-rule.js';
import type { ConfirmationKind } from '../../policy/decide.js';
import { ruleCovers, wholePackage } from '../../policy/rules/standing-rule.js';
import type { StandingRules } from '../../store/standing-rules.js';
import type { WaiverGate } from '../operator/waiver-gate.js';
import { ruleWaiver } from '../session-waivers.js';
import type { CallableTool } from './callable-tool.js';

/** The approval, the standing rule or the waivers under which a call runs without a question, as in the audit log. */
export type CallAuthorization =
  | { readonly approval: string }
  | { readonly rule: string }
  | { readonly waivedBy: readonly WaivedBy[] };

/** A rule of the settings that removed the question. */
export interface WaivedBy {
  /** Id of the waiver. */
  readonly waiver: string;
  readonly rule: string;
  /** Whether the operator accepted it with the PIN. */
  readonly verified: boolean;
}

/** Undefined if no rule removed a question. */
export function waiverAuthorization(
  rules: readonly Rule[],
  waivers: Pick<WaiverGate, 'isVerified'>,
): CallAuthorization | undefined {
  if (rules.length === 0) return undefined;
  const waivedBy = rules.map((it) => {
    const { id } = ruleWaiver(it);
    return {
      waiver: id,
      rule: `${it.tool} (${ruleOriginText(it.origin)})`,
      verified: waivers.isVerified(id),
    };
  });
  return { waivedBy };
}

/** Finds a standing rule that covers this call, and counts its use. Undefined if there is none. */
export async function findStandingRule(
  rules: StandingRules,
  principal: string,
  callable: CallableTool,
  input: JsonObject,
  kinds: readonly ConfirmationKind[],
): Promise<StandingRule | undefined> {
  if (kinds.some((it) => !answerableKinds.has(it))) return undefined;
  if (kinds.every((it) => it === 'undeclared_effect')) {
    for (const rule of await rules.inForce(wholePackage(callable.package.id), null, principal))
      if (await rules.use(rule.id)) return rule;
  }
  const isDestructive = callable.tool.effect === 'destructive' || kinds.includes('destructive');
  for (const rule of await rules.inForce(callable.name, callable.digest, principal)) {
    if (isDestructive && !rule.destructive) continue;
    if (ruleCovers(rule.conditions, input) && (await rules.use(rule.id))) return rule;
  }
  return undefined;
}
