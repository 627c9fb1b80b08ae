import { createHash } from 'node:crypto';

export const personalSha256 = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest());

/** The default options for scanning results. */
export const look = {
  guesses: true,
  reportSamples: false,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};
/** No package has accepted settings. */
export const noSettings = { version: () => 0, settingsOf: async () => [] };
export const setting = { isPublic: () => false, guesses: true };
