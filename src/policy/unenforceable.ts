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
  if (pkg.tools.length === 0 && pkg.prompts.length === 0 && !pkg.announcesTools)
    reasons.push('it has no tools and no prompts');
  const unknown = unknownPersonalData(guardrails.input.redact);
  if (unknown.length > 0) reasons.push(`this host cannot redact ${unknown.join(', ')}: unknown categories`);
  const steering = variablesOf(pkg).filter(
    (it) => isReservedVariable(it) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(it),
  );
  if (steering.length > 0) reasons.push(`it sets ${steering.join(', ')}, which can control other programs`);
  return reasons;
}

function variablesOf(pkg: Package): string[] {
  const declared = pkg.programs.flatMap((it) =>
    it.target.kind === 'process' ? it.target.environment.map((variable) => variable.name) : [],
  );
  const delivered = pkg.slots.flatMap((it) => deliveredVariables(it.delivery));
  return [...new Set([...declared, ...delivered])];
}
