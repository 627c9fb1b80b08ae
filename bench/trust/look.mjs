import { createHash } from 'node:crypto';

/** The default options for scanning results. */
export const look = {
  guesses: true,
  reportSamples: false,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};
export const setting = { isPublic: () => false, guesses: true };
