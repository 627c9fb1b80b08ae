import type { Candidate, Claim } from '../model/format.js';

/** What detection needs of a format. */
interface ClaimingFormat {
  claim(candidate: Candidate): Claim | null;
}

/** The first format that claims a file; null if none does. */
export function detectFormat<F extends ClaimingFormat>(
  formats: readonly F[],
  candidate: Candidate,
): { readonly format: F; readonly claim: Claim } | null {
  for (const format of formats) {
    const claim = format.claim(candidate);
    if (claim !== null) return { format, claim };
  }
  return null;
}
