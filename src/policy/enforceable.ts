import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';

/**
 * What a package declares and this host cannot hold it to yet. A promise that is not kept is worse than a
 * tool that is not served, so each entry keeps the package out with its reason.
 */
export function unenforceable(of: Package): string[] {
  const reasons: string[] = [];
  const { guardrails, permissions } = of;
  if (of.tools.length === 0) reasons.push('it has no tools of its own to call');
  if (guardrails.input.redact.length > 0) reasons.push('redaction of personal data is not enforced yet');
  if (guardrails.input.denyPatterns.length > 0) reasons.push('deny patterns are not enforced yet');
  if (guardrails.tools.some((it) => it.rateLimit !== undefined))
    reasons.push('rate limits are not enforced yet');
  if (guardrails.tools.some((it) => it.maxAmount !== undefined))
    reasons.push('spend caps are not enforced yet');
  if (of.slots.some((it) => it.required)) reasons.push('credentials and settings cannot be supplied yet');
  if (of.hooks.length > 0) reasons.push('hooks are not called yet');
  if (of.announces) reasons.push('tools that appear when a program runs are not served yet');
  const runs = of.tools.some((it) => it.action?.kind === 'exec' || it.action?.kind === 'function');
  if (runs && permissions.filesystem !== 'none') reasons.push('the workspace cannot be lent to tools yet');
  if (runs && permissions.network.kind !== 'none')
    reasons.push('network for confined processes is not offered yet');
  const packages = of.programs.some(
    (it) => it.target.kind === 'process' && (it.target.runtime?.packages.length ?? 0) > 0,
  );
  if (packages) reasons.push('packages of a language registry are not installed yet');
  if (of.install.kind !== 'bundled') reasons.push('packages that must be installed first are not run yet');
  if (of.tools.some((it) => it.action !== null && !canRun(it)))
    reasons.push('this kind of tool is not run yet');
  return reasons;
}

function canRun(tool: Tool): boolean {
  switch (tool.action?.kind) {
    case 'exec':
    case 'http':
      return true;
    default:
      return false;
  }
}
