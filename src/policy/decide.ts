import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';

/** Why a person is asked; part of the answer that the agent gets. */
export type ConfirmationKind =
  | 'human_confirm'
  | 'tainted_input'
  | 'destructive'
  | 'approval'
  | 'data_flow'
  | 'spend';

/** The verdict on one call, with the rule that gave it. */
export type Decision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly confirmation: ConfirmationKind; readonly reasons: readonly string[] }
  | { readonly kind: 'deny'; readonly reasons: readonly string[] };

/** Deny first, then ask, then allow. A rule can only add a reason; none takes one away. */
export function decide(of: Package, tool: Tool): Decision {
  const reasons: { kind: ConfirmationKind; text: string }[] = [];
  if (tool.approval === 'human')
    reasons.push({ kind: 'human_confirm', text: `${tool.name} asks for a person's consent to each call` });
  const rule = of.guardrails.tools.find((it) => it.tool === tool.name);
  if (rule?.approval === 'human' && tool.approval !== 'human') {
    reasons.push({ kind: 'approval', text: `a guardrail of ${of.id} wants a person's approval` });
  }
  if (tool.effect === 'destructive')
    reasons.push({ kind: 'destructive', text: `${tool.name} cannot be undone` });
  const [first] = reasons;
  if (first === undefined) return { kind: 'allow' };
  return { kind: 'ask', confirmation: first.kind, reasons: reasons.map((it) => it.text) };
}
