import type { Candidate, Claim } from '../../model/format.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';

const ownFields = ['tool', 'runtime', 'kill_switch', 'smoke'];

/** Fields of other files that carry a manifest_version: MCP bundles, Talos folders, agent recipes. */
const foreignFields = ['server', 'functions', 'example_prompts', 'system_prompt'];

const extensionFields = ['background', 'permissions', 'content_scripts', 'browser_action', 'icons'];

export function claimToolspace(candidate: Candidate): Claim | null {
  const { path } = candidate;
  const named = path === 'toolspace.json' || path.endsWith('/toolspace.json');
  const claimed = named || (path.endsWith('.json') && isToolspace(candidate.text()));
  return claimed ? { scope: 'folder', up: 0 } : null;
}

/** Whether a JSON text is an install manifest, of whatever version and however broken. */
function isToolspace(text: string): boolean {
  // Most JSON files of a folder are something else, and this is the cheapest way to see it.
  if (!text.includes('"manifest_version"') && !text.includes('"kill_switch"')) return false;
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    // It cannot be read, so its words must do: a single one of them is found in many files.
    return ownFields.filter((field) => text.includes(`"${field}"`)).length >= 2;
  }
  if (!isObject(value)) return false;
  // No other kind of file has these three together, so the version may have been forgotten.
  if (['tool', 'runtime', 'kill_switch'].every((it) => Object.hasOwn(value, it))) return true;
  if (!has(value, ['manifest_version']) || !has(value, ownFields)) return false;
  if (typeof value.manifest_version === 'number' && has(value, extensionFields)) return false;
  return !has(value, foreignFields) || has(value, ['kill_switch']);
}

function has(value: JsonObject, fields: readonly string[]): boolean {
  return fields.some((field) => Object.hasOwn(value, field));
}
