import { constants } from 'node:fs';

/**
 * Opens a file that somebody else may have put there: a link is not followed (ELOOP), and a pipe or device does not
 * block. The caller then checks that it is a regular file.
 */
export const untrustedReadFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
