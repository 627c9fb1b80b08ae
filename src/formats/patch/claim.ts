import type { Candidate, Claim } from '../../model/format.js';
import { looksLikeManifest } from './block.js';

/** A Python file whose first block between markers speaks of a tool; other programs use such lines as well. */
export function claimPatch(candidate: Candidate): Claim | null {
  if (!candidate.path.endsWith('.py')) return null;
  const text = candidate.text().slice(0, 64 * 1024);
  const open = /^[ \t]*# ---[ \t]*\r?$/m.exec(text);
  return open !== null && looksLikeManifest(text.slice(open.index + open[0].length), 2)
    ? { scope: 'file', up: 0 }
    : null;
}
