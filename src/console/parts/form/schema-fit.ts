import type { Json, JsonSchema } from '../../../model/json.js';
import { type Draft, isDraftObject, Unfinished } from './draft.js';
import { type Branch, type FieldShape, fieldShape } from './field-shape.js';
import { isSame } from './schema-resolve.js';

const maxDepth = 8;

/** Whether a form of this shape shows the value with nothing lost. */
export function fits(root: JsonSchema, shape: FieldShape, value: Draft | undefined, depth = 0): boolean {
  if (value === undefined) return true;
  if (value instanceof Unfinished) return shape.kind === 'number' || shape.kind === 'json';
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'json':
      return true;
    case 'enum':
      return shape.values.some((it) => isSame(it, value as Json));
    case 'list':
      return Array.isArray(value);
    case 'choice':
      return depth < maxDepth && branchOf(root, shape.branches, value, depth + 1) !== undefined;
    case 'object':
      return (
        isDraftObject(value) &&
        (shape.more !== false ||
          Object.keys(value).every((it) => shape.members.some(({ name }) => name === it)))
      );
  }
}

/** The index of the branch that a value belongs to: the first one that it fits with all its members. */
export function branchOf(
  root: JsonSchema,
  branches: readonly Branch[],
  value: Draft | undefined,
  depth = 0,
): number | undefined {
  if (value === undefined) return undefined;
  let best: number | undefined;
  let bestScore = -1;
  for (const [index, branch] of branches.entries()) {
    const shape = fieldShape(root, branch.schema);
    if (!fits(root, shape, value, depth)) continue;
    const score = scoreOf(root, shape, value, depth);
    if (score > bestScore) [best, bestScore] = [index, score];
  }
  return best;
}

/** How well a value belongs to a shape: members with the right constants count most. -1: not at all. */
function scoreOf(root: JsonSchema, shape: FieldShape, value: Draft, depth: number): number {
  if (shape.kind !== 'object' || !isDraftObject(value)) return shape.kind === 'json' ? 0 : 1;
  let score = 1;
  for (const { name, schema, isRequired } of shape.members) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member === undefined) {
      if (isRequired) score -= 0.1;
      continue;
    }
    const inner = fieldShape(root, schema);
    if (depth >= maxDepth) continue;
    if (!fits(root, inner, member, depth + 1)) return inner.kind === 'enum' ? -1 : 0;
    score += inner.kind === 'enum' ? 2 : 1;
  }
  return score;
}

/** What a new value starts with: only what has to be there. */
export function initialValue(root: JsonSchema, schema: JsonSchema, depth = 0): Draft | undefined {
  const shape = fieldShape(root, schema);
  if (shape.kind === 'enum') return shape.values.length === 1 ? (shape.values[0] as Json) : undefined;
  if (shape.kind === 'null') return null;
  if (shape.kind === 'list') return [];
  if (shape.kind === 'choice')
    return depth < maxDepth && shape.branches.length > 0
      ? initialValue(root, (shape.branches[0] as Branch).schema, depth + 1)
      : undefined;
  if (shape.kind !== 'object') return undefined;
  const value: Record<string, Draft> = {};
  for (const it of shape.members) {
    const member = it.isRequired && depth < maxDepth ? initialValue(root, it.schema, depth + 1) : undefined;
    if (member !== undefined) value[it.name] = member;
  }
  return value;
}
