import type { JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import { type Rule, type RuleOrigin, ruleOriginText } from '../model/rule.js';
import type { Tool } from '../model/tool.js';
import { amountOf } from './rules/amount.js';
import type { Requirements } from './rules/requirements.js';
import type { TaintHold } from './taint/taint-verdict.js';

/** Why a person is asked. Part of the response to the agent. */
export type ConfirmationKind =
  | 'human_confirm'
  | 'tainted_input'
  | 'destructive'
  | 'undeclared_effect'
  | 'approval'
  | 'data_flow'
  | 'quarantine'
  | 'spend';

/** One reason for a decision, and the rule's origin. */
export interface Reason {
  readonly text: string;
  readonly origin: RuleOrigin;
}

/** The decision on one call, with its reasons. */
export type Decision =
  | {
      readonly kind: 'allow';
      readonly because: readonly Reason[];
      /** The rules without which a person would have been asked. Empty: nothing asked. */
      readonly waivedBy: readonly Rule[];
    }
  | {
      readonly kind: 'ask';
      readonly confirmation: ConfirmationKind;
      /** The kinds of all reasons, in their order. */
      readonly kinds: readonly ConfirmationKind[];
      readonly reasons: readonly string[];
      readonly because: readonly Reason[];
    }
  | { readonly kind: 'deny'; readonly reasons: readonly string[]; readonly because: readonly Reason[] };

interface ConfirmationReason extends Reason {
  readonly kind: ConfirmationKind;
}

/** Everything that a decision depends on. */
export interface DecisionInput {
  readonly package: Package;
  readonly tool: Tool;
  /** Path of the manifest, for display. */
  readonly file: string;
  readonly requirements: Requirements;
  /** Undefined when the decision is about the tool, not about one call. */
  readonly input: JsonObject | undefined;
  /** Why the call waits because of what its session has seen. Undefined: it does not. */
  readonly taint?: TaintHold | undefined;
  /** What speaks against the installed release, so that each call needs a person. Default: nothing. */
  readonly quarantine?: readonly string[] | undefined;
}

/** Whether rules deny every call of the tool, whatever its arguments. Such a tool is not listed. */
export function alwaysDenies({ rules }: Requirements): boolean {
  return rules.some(isDenying);
}

function isDenying({ approval }: Rule): boolean {
  return approval === 'deny';
}

/** Deny comes first, then ask, then allow. Only an operator's `allow` can waive a confirmation (see `waives`). */
export function decide(input: DecisionInput): Decision {
  const { rules } = input.requirements;
  const denying = rules.filter(isDenying);
  if (denying.length > 0) {
    const because = denying.map((rule) => reason(rule, `${ruleText(rule)} denies this call`));
    return { kind: 'deny', reasons: because.map((it) => it.text), because };
  }
  const allowing = rules.filter((it) => it.approval === 'allow');
  const asking = confirmationReasons(input);
  const open = asking.filter((it) => !allowing.some((rule) => waives(rule, it.origin)));
  const [first] = open;
  if (first !== undefined) {
    const because = open.map(({ text, origin }) => ({ text, origin }));
    const kinds = open.map((it) => it.kind);
    return { kind: 'ask', confirmation: first.kind, kinds, reasons: because.map((it) => it.text), because };
  }
  return {
    kind: 'allow',
    because: allowing.map((rule) => reason(rule, `${ruleText(rule)} allows it`)),
    waivedBy: allowing.filter((rule) => asking.some((it) => waives(rule, it.origin))),
  };
}

function confirmationReasons({
  package: pkg,
  tool,
  file,
  requirements,
  input,
  taint,
  quarantine = [],
}: DecisionInput): ConfirmationReason[] {
  const manifest = { kind: 'manifest', file } as const;
  const reasons: ConfirmationReason[] = [...quarantineReasons(quarantine), ...taintReasons(taint)];
  if (tool.approval === 'human')
    reasons.push({
      kind: 'human_confirm',
      text: `${tool.name} requires a person's approval of each call`,
      origin: manifest,
    });
  for (const rule of requirements.rules) {
    if (rule.approval !== 'ask') continue;
    if (rule.origin.kind === 'built-in') reasons.push(builtInReason(rule.origin, tool));
    else if (rule.origin.kind !== 'manifest')
      reasons.push({ kind: 'approval', ...reason(rule, `${ruleText(rule)} requires a person's approval`) });
    else if (tool.approval !== 'human')
      reasons.push({
        kind: 'approval',
        text: `a guardrail of ${pkg.id} requires a person's approval`,
        origin: manifest,
      });
  }
  const { askAbove } = requirements;
  if (askAbove === undefined || input === undefined) return reasons;
  const amount = amountOf(input, tool.input);
  if (amount.kind === 'unclear' || (amount.kind === 'known' && amount.value > askAbove.value)) {
    const why = amount.kind === 'unclear' ? amount.why : `the amount is ${amount.value}`;
    const text = `${ruleText(askAbove.rule)} requires a person's approval above ${askAbove.value}: ${why}`;
    reasons.push({ kind: 'spend', ...reason(askAbove.rule, text) });
  }
  return reasons;
}

/** The agent may read these: they do not depend on what the session was shown. */
function taintReasons(hold: TaintHold | undefined): ConfirmationReason[] {
  const origin = { kind: 'built-in', cause: 'taint' } as const;
  const found = (hold?.findings ?? []).map(({ rule, forAgent: text }): ConfirmationReason => {
    const kind = rule === 'private' || rule === 'outside' ? 'data_flow' : 'tainted_input';
    return { kind, text, origin };
  });
  return [...new Map(found.map((it) => [it.text, it])).values()];
}

function quarantineReasons(texts: readonly string[]): ConfirmationReason[] {
  const origin = { kind: 'built-in', cause: 'quarantine' } as const;
  return texts.map((text) => ({ kind: 'quarantine', text, origin }));
}

function builtInReason(origin: RuleOrigin & { kind: 'built-in' }, { name }: Tool): ConfirmationReason {
  if (origin.cause !== 'undeclared-effect')
    return { kind: 'destructive', text: `${name} cannot be undone`, origin };
  const text = `${name} does not declare what it changes; it can write to the workspace and use the network`;
  return { kind: 'undeclared_effect', text, origin };
}

/** A rule of an operator never waives what another rule of an operator requires: the stricter one holds. */
function waives(rule: Rule, required: RuleOrigin): boolean {
  if (rule.origin.kind === 'project') return false;
  // A rule says that calls need no question. It does not vouch for what others wrote into one of them.
  if (required.kind === 'built-in' && required.cause === 'taint') return false;
  // The rule was written before the registry warned.
  if (required.kind === 'built-in' && required.cause === 'quarantine') return false;
  return required.kind === 'built-in' || (required.kind === 'manifest' && rule.overManifest === true);
}

function ruleText({ origin, tool }: Rule): string {
  return `a rule for ${tool} (${ruleOriginText(origin)})`;
}

function reason(rule: Rule, text: string): Reason {
  return { text: rule.reason === undefined ? text : `${text}: ${rule.reason}`, origin: rule.origin };
}
