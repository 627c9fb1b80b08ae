import type { Session } from '../host/host.js';
import { HostError } from '../model/host-error.js';
import { isObject } from '../model/json.js';
import type { StandingRuleInput } from '../model/standing-rule.js';
import type { Tool } from '../model/tool.js';

/** A tool as it is served now: what a rule is meant for. */
export interface RuleTarget {
  readonly tool: Tool;
  /** `package/tool`. */
  readonly name: string;
  readonly definition: string;
}

/** The tool that a rule names, with the digest of what it is now. */
export async function ruleTarget(session: Session, name: string): Promise<RuleTarget> {
  const found = (await session.tools()).find((it) => it.name === name);
  if (found !== undefined) return { tool: found.tool, name, definition: found.definition };
  throw new HostError('tool_not_found', `no tool ${JSON.stringify(name)} is served here`, {
    hint: 'write PACKAGE/TOOL as "toolwharf list" shows them; name the folder with --dir',
  });
}

/** Refuses a rule that could not mean what it seems to say. */
export function checkedRule(
  rule: Omit<StandingRuleInput, 'tool' | 'definition'>,
  { tool, name, definition }: RuleTarget,
): StandingRuleInput {
  const { input } = tool;
  const known = isObject(input) && isObject(input.properties) ? Object.keys(input.properties) : [];
  const strange = rule.conditions.find((it) => !known.includes(it.argument));
  if (strange !== undefined)
    throw new HostError('usage', `${name} has no argument ${JSON.stringify(strange.argument)}`, {
      hint: known.length === 0 ? 'it takes none' : `it has ${known.join(', ')}`,
    });
  const open = known.filter((it) => !rule.conditions.some((other) => other.argument === it));
  if (open.length > 0)
    throw new HostError('usage', `the rule does not say what ${open.join(', ')} may be`, {
      hint: `bind each (--when ${open[0]} equals …) or free it explicitly (--any ${open[0]})`,
    });
  if (tool.effect === 'destructive' && !rule.destructive)
    throw new HostError('usage', `${name} cannot be undone`, {
      hint: 'say --destructive to let it run under a rule all the same',
    });
  return { ...rule, tool: name, definition };
}
