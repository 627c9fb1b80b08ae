import type { Package } from '../model/package.js';
import type { Rule } from '../model/rule.js';
import { type Effect, effects, type Tool } from '../model/tool.js';
import { splitToolName } from '../model/tool-name.js';

function graver(a: Effect, b: Effect): Effect {
  return effects.indexOf(a) >= effects.indexOf(b) ? a : b;
}

/** What holds everywhere, whoever says otherwise; only an operator may take the question away. */
const builtIn: readonly Rule[] = [
  { tool: '*', effects: ['destructive'], approval: 'ask', origin: { kind: 'built-in' } },
];

/** What the creator of a package wants for one of its tools; first what holds for the package as a whole. */
export function ofCreator(of: Package, tool: Tool, file: string): Rule[] {
  const origin = { kind: 'manifest', file } as const;
  const { input, output } = of.guardrails;
  const base = { tool: `${of.id}/${tool.name}`, origin };
  const whole: Rule = {
    ...base,
    ...(input.maxLength === undefined ? {} : { maxLength: input.maxLength }),
    denyPatterns: input.denyPatterns,
    redact: input.redact,
    ...(output.schema === undefined ? {} : { outputSchema: output.schema }),
  };
  const own = of.guardrails.tools
    .filter((it) => it.tool === tool.name)
    .map(
      ({ approval, maxAmount, rateLimit }): Rule => ({
        ...base,
        ...(approval === 'human' ? { approval: 'ask' as const } : {}),
        ...(maxAmount === undefined ? {} : { maxAmount }),
        ...(rateLimit === undefined ? {} : { rateLimit }),
      }),
    );
  return [whole, ...own];
}

/** All rules that hold for one tool: the creator's, the operator's and the platform's. */
export function rulesFor(of: Package, tool: Tool, file: string, operator: readonly Rule[]): readonly Rule[] {
  const name = `${of.id}/${tool.name}`;
  return [...ofCreator(of, tool, file), ...[...operator, ...builtIn].filter((it) => names(it, name, tool))];
}

/** What a tool does: as declared, else as the operator says, else as is usual for those who say nothing. */
export function effectOf(packageId: string, tool: Tool, operator: readonly Rule[]): Effect {
  if (tool.effectDeclared) return tool.effect;
  const matching = operator.filter((it) => matches(it.tool, `${packageId}/${tool.name}`));
  const said = (project: boolean) =>
    matching.flatMap((it) => ((it.origin.kind === 'project') === project ? (it.undeclaredEffect ?? []) : []));
  const chosen = said(false);
  const base = chosen.length === 0 ? tool.effect : chosen.reduce(graver);
  // A project can make it graver, never lighter.
  return said(true).reduce(graver, base);
}

function names({ tool: pattern, effects: which }: Rule, name: string, tool: Tool): boolean {
  return matches(pattern, name) && (which === undefined || which.includes(tool.effect));
}

/**
 * A pattern without a slash names whole packages; `*` stands for any characters. The package ends at the first slash: what
 * follows is the tool, and a server may put more slashes into the names of its tools.
 */
export function matches(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  const [packages, tools = '*'] = splitToolName(pattern);
  const [packageId, tool = ''] = splitToolName(name);
  return fits(packages, packageId) && fits(tools, tool);
}

/**
 * Whether a rule means something that is read. One that names everything of a package does, or that names it as
 * `prompt:…` or `resource:…`; one for tools never happens to.
 */
export function namesReading(
  { tool: pattern, effects: which }: Rule,
  packageId: string,
  name: string,
): boolean {
  if (which !== undefined && !which.includes('read')) return false;
  if (pattern === '*') return true;
  const [packages, things = '*'] = splitToolName(pattern);
  const isMeant = things === '*' || /^(?:prompt|resource):/.test(things);
  return isMeant && fits(packages, packageId) && fits(things, name);
}

function fits(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((it) => it.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'su').test(text);
}
