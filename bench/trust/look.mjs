import { createHash } from 'node:crypto';

/** As the host looks at answers unless told otherwise. */
export const look = {
  guesses: true,
  samples: false,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};
export const setting = { isPublic: () => false, guesses: true };
