import { sha256 } from '../../files/sha256.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { ToolSet } from '../../model/tool-set.js';
import { viewOf } from '../../policy/sets/set-scope.js';

export function setDigest(set: ToolSet): string {
  return sha256(canonicalJson(set as unknown as Json));
}

/** Digest of what a set changes about a tool, given as `PACKAGE/TOOL`; null if nothing. Hiding needs none: nothing runs. */
export function viewDigest(set: ToolSet, tool: string): string | null {
  const { hidden: _, ...view } = viewOf(set, tool);
  if (Object.keys(view).length === 0) return null;
  return sha256(canonicalJson({ set: set.name, tool, view } as unknown as Json));
}
