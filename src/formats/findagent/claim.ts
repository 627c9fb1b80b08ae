import type { Candidate, Claim } from '../../model/format.js';
import { isObject } from '../../model/json.js';
import { tryParseBounded } from '../../model/json-bounds.js';
import { manifestLimits } from '../document/document.js';

export function claimFindagent(candidate: Candidate): Claim | null {
  return claimByName(candidate.path) ?? claimByContent(candidate);
}

function claimByName(path: string): Claim | null {
  if (/(?:^|\/)\.findagent\/(?:manifest|findagent)\.json$/.test(path))
    return { scope: 'folder', levelsUp: 1 };
  return /(?:^|\/)\.?findagent\.json$/.test(path) ? { scope: 'folder', levelsUp: 0 } : null;
}

/** With any other file name, the content must match. The whole folder is claimed only if the manifest names files. */
function claimByContent(candidate: Candidate): Claim | null {
  if (!candidate.path.endsWith('.json')) return null;
  const text = candidate.text();
  if (!text.includes('"system_prompt"') && !text.includes('"code-bundle"')) return null;
  const value = tryParseBounded(text, manifestLimits);
  if (!isObject(value)) return null;
  const isCode = value.kind === 'code-bundle' && (Object.hasOwn(value, 'entrypoint') || isObject(value.mcp));
  if (isCode) return { scope: 'folder', levelsUp: 0 };
  if (!Object.hasOwn(value, 'system_prompt')) return null;
  if (!Object.hasOwn(value, 'example_prompts') && !Object.hasOwn(value, 'tools')) return null;
  const files = ['skills', 'entrypoint', 'ui', 'mcp'].some((it) => Object.hasOwn(value, it));
  return { scope: files ? 'folder' : 'file', levelsUp: 0 };
}
