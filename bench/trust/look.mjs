import { createHash } from 'node:crypto';

/** As the host looks unless told otherwise. */
export const look = { guesses: true, sha256: (bytes) => createHash('sha256').update(bytes).digest() };
export const setting = { isPublic: () => false, guesses: true };
