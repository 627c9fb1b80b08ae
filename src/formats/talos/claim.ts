import type { Candidate, Claim } from '../../model/format.js';
import { isObject, type Json } from '../../model/json.js';
import { suggest } from '../suggest.js';

/** Many programs call their file manifest.json; what has one of these fields is plainly one of theirs. */
const foreign = [
  'manifest_version',
  'dxt_version',
  'start_url',
  'display',
  'theme_color',
  'background_color',
  'short_name',
  'icons',
  'minAppVersion',
  'isDesktopOnly',
  'codeowners',
  'schemaVersion',
  'mediaType',
  'layers',
  'editorType',
  'lockfileVersion',
  'system_prompt',
];

/** The fields of the format; a test compares them with the schema, which is too large to load for this. */
export const talosFields: ReadonlySet<string> = new Set([
  '$schema',
  'id',
  'name',
  'description',
  'version',
  'credentials',
  'functions',
  'settings',
  'category',
  'defaultEnabled',
  'author',
  'license',
  'homepage',
  'repository',
  'icon',
  'tags',
  'oauth',
  'triggers',
  'sidecar',
]);

export function claimTalos(candidate: Candidate): Claim | null {
  const [name, folder] = candidate.path.split('/').reverse();
  if (name !== 'manifest.json' || folder === '.findagent') return null;
  const text = candidate.text();
  // A file that cannot be read at all is still ours when its handlers lie beside it.
  const handlers =
    !isReadable(text) && ['index.ts', 'index.js', 'index.mjs'].some((it) => candidate.beside?.(it));
  return handlers || looksLikeTalos(text) ? { scope: 'folder', up: 0 } : null;
}

/** Whether the text of a manifest.json is meant to be of this format, right or wrong. */
function looksLikeTalos(text: string): boolean {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return (
      /"(?:functions|credentials)"\s*:/.test(text) && !/"(?:manifest_version|dxt_version)"\s*:/.test(text)
    );
  }
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  if (keys.some((key) => foreign.includes(key))) return false;
  if (keys.some((key) => suggest(key, ['functions', 'credentials']) !== undefined)) return true;
  return keys.includes('id') && keys.length > 1 && keys.every((key) => talosFields.has(key));
}

function isReadable(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
