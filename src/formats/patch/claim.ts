import type { Candidate, Claim } from '../../model/format.js';
import { hasManifestFields } from './manifest-block.js';

/** Claims a Python file that has a "# ---" line followed by at least two manifest fields. */
export function claimPatch(candidate: Candidate): Claim | null {
  if (!candidate.path.endsWith('.py')) return null;
  const text = candidate.text().slice(0, 64 * 1024);
  const open = /^[ \t]*# ---[ \t]*\r?$/m.exec(text);
  return open !== null && hasManifestFields(text.slice(open.index + open[0].length), 2)
    ? { scope: 'file', levelsUp: 0 }
    : null;
}
