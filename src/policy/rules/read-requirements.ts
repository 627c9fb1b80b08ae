// Rules for reading prompts and resources. They are not tools, but a rule for a whole package covers them too.
import type { Package } from '../../model/package.js';
import type { Rule } from '../../model/rule.js';
import type { Tool } from '../../model/tool.js';
import { decide } from '../decide.js';
import { combineRules, type Requirements } from './requirements.js';
import { manifestRules, ruleNamesRead } from './tool-rules.js';

/** A prompt or resource, as rules name it: `prompt:NAME` or `resource:ADDRESS`. */
export type ReadName = `prompt:${string}` | `resource:${string}`;

export interface ReadRequirements {
  readonly requirements: Requirements;
  /** Why reading is denied; empty: it is allowed. */
  readonly denied: readonly string[];
  /** Why a person would have to approve. Reads cannot be held and run later as calls can, so the caller denies them. */
  readonly asked: readonly string[];
}

export function readRequirements(
  pkg: Package,
  name: ReadName,
  file: string,
  operatorRules: readonly Rule[],
): ReadRequirements {
  const [packageRule] = manifestRules(pkg, readTool(name), file);
  const own = packageRule === undefined ? [] : [packageRule];
  const named = operatorRules.filter((it) => ruleNamesRead(it, pkg.id, name));
  const requirements = combineRules([...own, ...named]);
  const decision = decide({ package: pkg, tool: readTool(name), file, requirements, input: undefined });
  return {
    requirements,
    denied: decision.kind === 'deny' ? decision.reasons : [],
    asked: decision.kind === 'ask' ? decision.reasons : [],
  };
}

/** A pseudo tool, because rules apply to tools. It is never called. */
function readTool(name: ReadName): Tool {
  return {
    name,
    description: '',
    input: true,
    annotations: {},
    effect: 'read',
    effectDeclared: true,
    idempotent: true,
    untrustedInputs: [],
    approval: 'none',
    examples: [],
    action: null,
  };
}
