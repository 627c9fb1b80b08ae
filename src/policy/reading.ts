// What rules say of reading: prompts and resources are no tools, and rules that mean a whole package mean them too.
import type { Package } from '../model/package.js';
import type { Rule } from '../model/rule.js';
import type { Tool } from '../model/tool.js';
import { combine, type Demands } from './combine.js';
import { decide } from './decide.js';
import { namesReading, ofCreator } from './rules.js';

/** What is read, as rules name it: `prompt:NAME` or `resource:ADDRESS`. */
export type ReadingName = `prompt:${string}` | `resource:${string}`;

export interface ReadingDemands {
  readonly demands: Demands;
  /** Why it is not read; empty lets it pass. */
  readonly refused: readonly string[];
  /** Why a person would have to be asked. Nobody can be: what is read is not held and made later, as a call is. */
  readonly asked: readonly string[];
}

export function readingDemands(
  of: Package,
  name: ReadingName,
  file: string,
  operator: readonly Rule[],
): ReadingDemands {
  const [whole] = ofCreator(of, reading(name), file);
  const own = whole === undefined ? [] : [whole];
  const named = operator.filter((it) => namesReading(it, of.id, name));
  const demands = combine([...own, ...named]);
  const decision = decide({ package: of, tool: reading(name), file, demands, input: undefined });
  return {
    demands,
    refused: decision.kind === 'deny' ? decision.reasons : [],
    asked: decision.kind === 'ask' ? decision.reasons : [],
  };
}

/** In the shape that rules judge. It is never called. */
function reading(name: ReadingName): Tool {
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
