import type { Package } from '../model/package.js';
import { unknownCategories } from '../model/personal.js';
import { isSteering } from '../model/steering.js';

/**
 * What a package declares and this host cannot hold it to yet. A promise that is not kept is worse than a
 * tool that is not served, so each entry keeps the package out with its reason.
 */
export function unenforceable(of: Package): string[] {
  const reasons: string[] = [];
  const { guardrails } = of;
  if (of.tools.length === 0 && of.prompts.length === 0 && !of.announces)
    reasons.push('it has nothing to offer');
  const unknown = unknownCategories(guardrails.input.redact);
  if (unknown.length > 0) reasons.push(`nobody here knows how to find ${unknown.join(', ')} to take it out`);
  const steering = variablesOf(of).filter((it) => isSteering(it) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(it));
  if (steering.length > 0)
    reasons.push(`it wants to set ${steering.join(', ')}, which steers programs around it`);
  return reasons;
}

function variablesOf(of: Package): string[] {
  const declared = of.programs.flatMap((it) =>
    it.target.kind === 'process' ? it.target.environment.map((variable) => variable.name) : [],
  );
  const delivered = of.slots.flatMap((it) =>
    it.delivery.kind === 'environment' ? [it.delivery.variable] : [],
  );
  return [...new Set([...declared, ...delivered])];
}
