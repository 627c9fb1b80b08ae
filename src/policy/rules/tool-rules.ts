import type { Package } from '../../model/package.js';
import type { Rule } from '../../model/rule.js';
import { type Effect, effects, type Tool } from '../../model/tool.js';
import { splitToolName } from '../../model/tool-name.js';

function stronger(a: Effect, b: Effect): Effect {
  return effects.indexOf(a) >= effects.indexOf(b) ? a : b;
}

/** What a tool can reach in a session: requested by its package, without what the operator denies. */
export interface ToolReach {
  readonly writesWorkspace: boolean;
  readonly usesNetwork: boolean;
}

/** Rules of the host itself. Only an operator's rule can waive them. */
const askIfDestructive: Rule = {
  tool: '*',
  effects: ['destructive'],
  approval: 'ask',
  origin: { kind: 'built-in', cause: 'destructive' },
};
const askIfUndeclared: Rule = {
  tool: '*',
  approval: 'ask',
  origin: { kind: 'built-in', cause: 'undeclared-effect' },
};

/**
 * A tool that writes to the workspace and uses the network can send files away and change others. Without a declared
 * effect, nobody has agreed to that in so many words.
 */
function asksForUndeclared(
  packageId: string,
  tool: Tool,
  operatorRules: readonly Rule[],
  { writesWorkspace, usesNetwork }: ToolReach,
): boolean {
  return writesWorkspace && usesNetwork && !hasKnownEffect(packageId, tool, operatorRules);
}

/** Whether the manifest, an announced hint or the operator says what the tool does. */
function hasKnownEffect(packageId: string, tool: Tool, operatorRules: readonly Rule[]): boolean {
  const { readOnlyHint, destructiveHint } = tool.annotations;
  if (tool.effectDeclared || readOnlyHint !== undefined || destructiveHint !== undefined) return true;
  const name = `${packageId}/${tool.name}`;
  return operatorRules.some(
    (it) =>
      it.undeclaredEffect !== undefined && it.origin.kind !== 'project' && matchesToolName(it.tool, name),
  );
}

/** The manifest's rules for one tool; first the rule that holds for the whole package. */
export function manifestRules(pkg: Package, tool: Tool, file: string): Rule[] {
  const origin = { kind: 'manifest', file } as const;
  const { input, output } = pkg.guardrails;
  const base = { tool: `${pkg.id}/${tool.name}`, origin };
  const packageRule: Rule = {
    ...base,
    ...(input.maxLength === undefined ? {} : { maxLength: input.maxLength }),
    denyPatterns: input.denyPatterns,
    redact: input.redact,
    ...(output.schema === undefined ? {} : { outputSchema: output.schema }),
  };
  const own = pkg.guardrails.tools
    .filter((it) => it.tool === tool.name)
    .map(
      ({ approval, maxAmount, rateLimit }): Rule => ({
        ...base,
        ...(approval === 'human' ? { approval: 'ask' as const } : {}),
        ...(maxAmount === undefined ? {} : { maxAmount }),
        ...(rateLimit === undefined ? {} : { rateLimit }),
      }),
    );
  return [packageRule, ...own];
}

/** All rules that apply to one tool: those of the manifest, the operator and the host. */
export function rulesFor(
  pkg: Package,
  tool: Tool,
  file: string,
  operatorRules: readonly Rule[],
  reach: ToolReach,
): readonly Rule[] {
  const name = `${pkg.id}/${tool.name}`;
  return [
    ...manifestRules(pkg, tool, file),
    ...[...operatorRules, askIfDestructive].filter((it) => appliesTo(it, name, tool)),
    ...(asksForUndeclared(pkg.id, tool, operatorRules, reach) ? [askIfUndeclared] : []),
  ];
}

/** The effect of a tool: as declared, else as the operator's rules say, else the default for undeclared effects. */
export function effectOf(packageId: string, tool: Tool, operatorRules: readonly Rule[]): Effect {
  if (tool.effectDeclared) return tool.effect;
  const matching = operatorRules.filter((it) => matchesToolName(it.tool, `${packageId}/${tool.name}`));
  const effectsFrom = (project: boolean) =>
    matching.flatMap((it) => ((it.origin.kind === 'project') === project ? (it.undeclaredEffect ?? []) : []));
  const chosen = effectsFrom(false);
  const base = chosen.length === 0 ? tool.effect : chosen.reduce(stronger);
  // A project can only make the effect stronger.
  return effectsFrom(true).reduce(stronger, base);
}

function appliesTo({ tool: pattern, effects: which }: Rule, name: string, tool: Tool): boolean {
  return matchesToolName(pattern, name) && (which === undefined || which.includes(tool.effect));
}

/**
 * A pattern without a slash names whole packages; `*` matches any characters. The package id ends at the first slash. The
 * rest is the tool name, which may contain more slashes.
 */
export function matchesToolName(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  const [packages, tools = '*'] = splitToolName(pattern);
  const [packageId, tool = ''] = splitToolName(name);
  return fits(packages, packageId) && fits(tools, tool);
}

/**
 * Whether a rule covers a prompt or resource: it names a whole package, or `prompt:…` or `resource:…`. A rule for tools
 * never does.
 */
export function ruleNamesRead(
  { tool: pattern, effects: which }: Rule,
  packageId: string,
  name: string,
): boolean {
  if (which !== undefined && !which.includes('read')) return false;
  if (pattern === '*') return true;
  const [packages, names = '*'] = splitToolName(pattern);
  const coversReads = names === '*' || /^(?:prompt|resource):/.test(names);
  return coversReads && fits(packages, packageId) && fits(names, name);
}

function fits(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((it) => it.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'su').test(text);
}
