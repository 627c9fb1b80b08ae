import { HostError } from '../../model/host-error.js';

/** Primary result codes of SQLite. */
const [ioError, full] = [10, 13];

/** What the operator must do about a disk that is full or fails; undefined for every other error. */
export function diskFailure(error: unknown, folder: string): HostError | undefined {
  const { code, errcode, rawCode } = error as { code?: unknown; errcode?: unknown; rawCode?: unknown };
  const number = typeof errcode === 'number' ? errcode : typeof rawCode === 'number' ? rawCode : 0;
  // The higher bits say more about the same error.
  const primary = number & 0xff;
  if (primary === full || code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return new HostError('state_unusable', `the disk of ${folder} is full`, {
      cause: error,
      hint: 'free some space and try again',
    });
  if (primary === ioError || code === 'EFBIG' || code === 'EIO')
    return new HostError('state_unusable', `the disk of ${folder} is full, or could not be read or written`, {
      cause: error,
      hint: 'free some space, or check the disk and the limit for the size of files (ulimit -f), then try again',
    });
  return undefined;
}
