import { HostError } from '../model/host-error.js';

/** A failure of the disk becomes a message for the operator; everything else stays as it is. */
export function storageFailure(error: unknown, folder: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new HostError('state_unusable', `the disk of ${folder} is full; nothing was stored`, {
        cause: error,
        hint: 'free some space and try again',
      });
    case 'EFBIG':
      return new HostError(
        'state_unusable',
        `a file is too large for the disk of ${folder}, or for its user`,
        {
          cause: error,
          hint: 'check the limit for the size of files: ulimit -f',
        },
      );
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new HostError('state_unusable', `${folder} cannot be written to`, {
        cause: error,
        hint: 'check who owns the state directory',
      });
    default:
      return error;
  }
}
