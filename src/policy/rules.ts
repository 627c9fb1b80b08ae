import type { Package } from '../model/package.js';
import type { Rule } from '../model/rule.js';
import type { Tool } from '../model/tool.js';

/** What holds everywhere, whoever says otherwise; only an operator may take the question away. */
const builtIn: readonly Rule[] = [
  { tool: '*', effects: ['destructive'], approval: 'ask', origin: { kind: 'built-in' } },
];

/** What the creator of a package wants for one of its tools. */
function ofCreator(of: Package, tool: Tool, file: string): Rule[] {
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

function names({ tool: pattern, effects }: Rule, name: string, tool: Tool): boolean {
  return matches(pattern, name) && (effects === undefined || effects.includes(tool.effect));
}

/** A pattern without a slash names whole packages; `*` stands for any characters but a slash. */
function matches(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  const whole = pattern.includes('/') ? pattern : `${pattern}/*`;
  const parts = whole.split('*').map((it) => it.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]*')}$`, 'u').test(name);
}
