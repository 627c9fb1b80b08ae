import type { Candidate, Claim } from '../../model/format.js';

/** A Python file with the opening marker of a manifest near its top. */
export function claimPatch(candidate: Candidate): Claim | null {
  if (!candidate.path.endsWith('.py')) return null;
  return /^[ \t]*# ---[ \t]*\r?$/m.test(candidate.text().slice(0, 16 * 1024))
    ? { scope: 'file', up: 0 }
    : null;
}
