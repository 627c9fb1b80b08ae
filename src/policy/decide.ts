import type { JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import { originText, type Rule, type RuleOrigin } from '../model/rule.js';
import type { Tool } from '../model/tool.js';
import { amountOf } from './amount.js';
import type { Demands } from './combine.js';

/** Why a person is asked; part of the answer that the agent gets. */
export type ConfirmationKind =
  | 'human_confirm'
  | 'tainted_input'
  | 'destructive'
  | 'approval'
  | 'data_flow'
  | 'spend';

/** One reason for a verdict, with whoever gave it. */
export interface Reason {
  readonly text: string;
  readonly origin: RuleOrigin;
}

/** The verdict on one call, with the rules that gave it. */
export type Decision =
  | { readonly kind: 'allow'; readonly because: readonly Reason[] }
  | {
      readonly kind: 'ask';
      readonly confirmation: ConfirmationKind;
      /** Of all reasons, in their order. */
      readonly kinds: readonly ConfirmationKind[];
      readonly reasons: readonly string[];
      readonly because: readonly Reason[];
    }
  | { readonly kind: 'deny'; readonly reasons: readonly string[]; readonly because: readonly Reason[] };

interface Question extends Reason {
  readonly kind: ConfirmationKind;
}

/** What a call is judged by. */
export interface Judging {
  readonly package: Package;
  readonly tool: Tool;
  /** Path of the manifest, as it is shown. */
  readonly file: string;
  readonly demands: Demands;
  /** Undefined when only the tool is judged. */
  readonly input: JsonObject | undefined;
}

/** Deny first, then ask, then allow. Only an operator's `allow` takes a question away, and only those it may. */
export function decide(judging: Judging): Decision {
  const { rules } = judging.demands;
  const refused = rules.filter((it) => it.approval === 'deny');
  if (refused.length > 0) {
    const because = refused.map((rule) => reason(rule, `${called(rule)} does not allow this call`));
    return { kind: 'deny', reasons: because.map((it) => it.text), because };
  }
  const allowing = rules.filter((it) => it.approval === 'allow');
  const open = questions(judging).filter((it) => !allowing.some((rule) => waives(rule, it.origin)));
  const [first] = open;
  if (first !== undefined) {
    const because = open.map(({ text, origin }) => ({ text, origin }));
    const kinds = open.map((it) => it.kind);
    return { kind: 'ask', confirmation: first.kind, kinds, reasons: because.map((it) => it.text), because };
  }
  return { kind: 'allow', because: allowing.map((rule) => reason(rule, `${called(rule)} allows it`)) };
}

function questions({ package: of, tool, file, demands, input }: Judging): Question[] {
  const manifest = { kind: 'manifest', file } as const;
  const found: Question[] = [];
  if (tool.approval === 'human')
    found.push({
      kind: 'human_confirm',
      text: `${tool.name} asks for a person's consent to each call`,
      origin: manifest,
    });
  for (const rule of demands.rules) {
    if (rule.approval !== 'ask') continue;
    if (rule.origin.kind === 'built-in')
      found.push({ kind: 'destructive', text: `${tool.name} cannot be undone`, origin: rule.origin });
    else if (rule.origin.kind !== 'manifest')
      found.push({ kind: 'approval', ...reason(rule, `${called(rule)} wants a person's approval`) });
    else if (tool.approval !== 'human')
      found.push({
        kind: 'approval',
        text: `a guardrail of ${of.id} wants a person's approval`,
        origin: manifest,
      });
  }
  const { askAbove } = demands;
  if (askAbove === undefined || input === undefined) return found;
  const amount = amountOf(input, tool.input);
  if (amount.kind === 'unclear' || (amount.kind === 'known' && amount.value > askAbove.value)) {
    const why = amount.kind === 'unclear' ? amount.why : `the amount is ${amount.value}`;
    const text = `${called(askAbove.rule)} wants a person's approval above ${askAbove.value}: ${why}`;
    found.push({ kind: 'spend', ...reason(askAbove.rule, text) });
  }
  return found;
}

/** What an operator demands is never taken away by another rule of an operator: the stricter holds. */
function waives(rule: Rule, asked: RuleOrigin): boolean {
  if (rule.origin.kind === 'project') return false;
  return asked.kind === 'built-in' || (asked.kind === 'manifest' && rule.overManifest === true);
}

function called({ origin, tool }: Rule): string {
  return `a rule for ${tool} (${originText(origin)})`;
}

function reason(rule: Rule, text: string): Reason {
  return { text: rule.reason === undefined ? text : `${text}: ${rule.reason}`, origin: rule.origin };
}
