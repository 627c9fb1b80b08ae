import type { Candidate, Claim } from '../../model/format.js';
import { isObject } from '../../model/json.js';
import { tryParseBounded } from '../../model/json-bounds.js';
import { manifestLimits } from '../document/document.js';
import { suggest } from '../suggest.js';

/** Other programs also use the name manifest.json. A file with one of these fields belongs to them. */
const foreignFields = [
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

/** The fields of the format. The schema is too large to load here; a test keeps both the same. */
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
  'logName',
  'modules',
  'oauth',
  'triggers',
  'sidecar',
]);

/** Claims a manifest.json that looks like a Talos manifest. */
export function claimTalos(candidate: Candidate): Claim | null {
  const [name, folder] = candidate.path.split('/').reverse();
  if (name !== 'manifest.json' || folder === '.findagent') return null;
  const text = candidate.text();
  // A file that is not valid JSON is still claimed when a handler file is next to it.
  const hasHandlers =
    !isJsonObject(text) && ['index.ts', 'index.js', 'index.mjs'].some((it) => candidate.hasSibling?.(it));
  return hasHandlers || looksLikeTalos(text) ? { scope: 'folder', levelsUp: 0 } : null;
}

/** Whether the text of a manifest.json is meant to be a Talos manifest, valid or not. */
function looksLikeTalos(text: string): boolean {
  const value = tryParseBounded(text, manifestLimits);
  if (value === undefined) {
    return (
      /"(?:functions|credentials)"\s*:/.test(text) && !/"(?:manifest_version|dxt_version)"\s*:/.test(text)
    );
  }
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  if (keys.some((key) => foreignFields.includes(key))) return false;
  if (keys.some((key) => suggest(key, ['functions', 'credentials']) !== undefined)) return true;
  return keys.includes('id') && keys.length > 1 && keys.every((key) => talosFields.has(key));
}

function isJsonObject(text: string): boolean {
  return isObject(tryParseBounded(text, manifestLimits));
}
