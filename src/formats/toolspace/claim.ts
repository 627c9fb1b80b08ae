import type { Candidate, Claim } from '../../model/format.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { tryParseBounded } from '../../model/json-bounds.js';
import { manifestLimits } from '../document/document.js';

const ownFields = ['tool', 'runtime', 'kill_switch', 'smoke'];

/** Fields of other files that have a manifest_version: MCP bundles, Talos packages, FindAgent manifests. */
const foreignFields = ['server', 'functions', 'example_prompts', 'system_prompt'];

/** Fields of browser extensions. */
const extensionFields = ['background', 'permissions', 'content_scripts', 'browser_action', 'icons'];

export function claimToolspace(candidate: Candidate): Claim | null {
  const { path } = candidate;
  const named = path === 'toolspace.json' || path.endsWith('/toolspace.json');
  const claimed = named || (path.endsWith('.json') && isToolspace(candidate.text()));
  return claimed ? { scope: 'folder', levelsUp: 0 } : null;
}

/** Whether a JSON text is a Toolspace manifest of any version, even if it has syntax errors. */
function isToolspace(text: string): boolean {
  // A cheap test first: most JSON files in a folder are something else.
  if (!text.includes('"manifest_version"') && !text.includes('"kill_switch"')) return false;
  const value = tryParseBounded(text, manifestLimits);
  if (value === undefined) {
    // It does not parse, so look for field names. One alone is too common to prove anything.
    return ownFields.filter((field) => text.includes(`"${field}"`)).length >= 2;
  }
  if (!isObject(value)) return false;
  // No other kind of file has all three, so accept it even without a version.
  if (['tool', 'runtime', 'kill_switch'].every((it) => Object.hasOwn(value, it))) return true;
  if (!has(value, ['manifest_version']) || !has(value, ownFields)) return false;
  if (typeof value.manifest_version === 'number' && has(value, extensionFields)) return false;
  return !has(value, foreignFields) || has(value, ['kill_switch']);
}

function has(value: JsonObject, fields: readonly string[]): boolean {
  return fields.some((field) => Object.hasOwn(value, field));
}
