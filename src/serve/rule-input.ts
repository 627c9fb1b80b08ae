import type { RemoteSession } from '../host/host.js';
import { HostError } from '../model/host-error.js';
import { isObject, type JsonObject } from '../model/json.js';
import type { StandingRuleInput } from '../model/standing-rule.js';
import type { Tool } from '../model/tool.js';

/** What a standing rule is for: one tool as it is now, or a whole package. */
export type RuleTarget =
  | {
      readonly tool: Tool;
      readonly name: string;
      readonly definition: string;
      /** Arguments that a set fixes. They are not among the inputs of the tool. */
      readonly fixed: JsonObject;
    }
  | { readonly tool: null; readonly name: string; readonly definition: null; readonly fixed?: never };

/** Finds what a rule names: `PACKAGE/TOOL`, or `PACKAGE` or `PACKAGE/*` for a whole package. */
export async function ruleTarget(session: RemoteSession, name: string): Promise<RuleTarget> {
  const [, packageId] = /^([^/]+)(?:\/\*)?$/.exec(name) ?? [];
  if (packageId !== undefined) return packageTarget(session, packageId);
  const found = (await session.tools()).find((it) => it.name === name);
  if (found !== undefined) {
    const { tool, definition, fixed = {} } = found;
    return { tool, name, definition, fixed };
  }
  throw new HostError('tool_not_found', `no tool named ${JSON.stringify(name)} here`, {
    hint: 'write PACKAGE/TOOL as "toolwharf list" shows it; name its folder with --dir',
  });
}

async function packageTarget(session: RemoteSession, id: string): Promise<RuleTarget> {
  const { packages } = await session.packages();
  if (packages.some((it) => it.id === id)) return { tool: null, name: `${id}/*`, definition: null };
  throw new HostError('not_found', `no package named ${JSON.stringify(id)} here`, {
    hint: 'write PACKAGE or PACKAGE/TOOL as "toolwharf list" shows it; name its folder with --dir',
  });
}

/** Rejects a rule that is incomplete or names unknown arguments. */
export function checkedRule(
  rule: Omit<StandingRuleInput, 'tool' | 'definition'>,
  { tool, name, definition, fixed }: RuleTarget,
): StandingRuleInput {
  if (tool === null) return { ...rule, tool: name, definition };
  const { input } = tool;
  const known = isObject(input) && isObject(input.properties) ? Object.keys(input.properties) : [];
  const unknown = rule.conditions.find((it) => !known.includes(it.argument));
  if (unknown !== undefined)
    throw new HostError('usage', `${name} has no argument ${JSON.stringify(unknown.argument)}`, {
      hint: known.length === 0 ? 'it takes no arguments' : `its arguments are ${known.join(', ')}`,
    });
  const open = known.filter((it) => !rule.conditions.some((other) => other.argument === it));
  if (open.length > 0)
    throw new HostError('usage', `the rule has no condition for ${open.join(', ')}`, {
      hint: `add a condition (--when ${open[0]} equals …) or allow any value (--any ${open[0]})`,
    });
  if (tool.effect === 'destructive' && !rule.destructive)
    throw new HostError('usage', `the effects of ${name} cannot be undone`, {
      hint: 'add --destructive to allow a rule for it anyway',
    });
  // A rule is about all arguments of a call, also about those that the set adds.
  const ofSet = Object.entries(fixed).map(([argument, value]) => ({
    argument,
    condition: { test: 'equals', value } as const,
  }));
  return { ...rule, conditions: [...rule.conditions, ...ofSet], tool: name, definition };
}
