import type { Package } from '../model/package.js';
import { unknownPersonalData } from '../model/personal-data.js';
import { isReservedVariable } from '../model/reserved-variables.js';
import { deliveredVariables } from '../model/slot.js';

/**
 * Declarations of a package that this host cannot enforce. A broken promise is worse than a missing tool, so each of
 * these reasons makes the package unavailable.
 */
export function unenforceable(pkg: Package): string[] {
  const reasons: string[] = [];
  const { guardrails } = pkg;
  if (servesNothing(pkg)) {
    const others = (pkg.notServed ?? []).map((it) => it.label);
    reasons.push(
      others.length === 0
        ? 'it has no tools and no prompts'
        : `it declares only ${others.join(', ')}, which this host does not serve`,
    );
  }
  const unknown = unknownPersonalData(guardrails.input.redact);
  if (unknown.length > 0) reasons.push(`this host cannot redact ${unknown.join(', ')}: unknown categories`);
  const steering = variablesOf(pkg).filter(
    (it) => isReservedVariable(it) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(it),
  );
  if (steering.length > 0) reasons.push(`it sets ${steering.join(', ')}, which can control other programs`);
  return reasons;
}

/** Whether nothing of a package can ever be used. An MCP server announces its tools; an extension only declared ones. */
function servesNothing({ tools, prompts, hooks, announcesTools, programs }: Package): boolean {
  if (tools.length > 0 || prompts.length > 0 || hooks.length > 0) return false;
  return !announcesTools || programs.every((it) => it.protocol !== 'mcp');
}

function variablesOf(pkg: Package): string[] {
  const declared = pkg.programs.flatMap((it) =>
    it.target.kind === 'process' ? it.target.environment.map((variable) => variable.name) : [],
  );
  const delivered = pkg.slots.flatMap((it) => deliveredVariables(it.delivery));
  return [...new Set([...declared, ...delivered])];
}
