import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { HostError } from '../../model/host-error.js';

/** Whoever may write to the folder of a socket could answer in the host's place, so it must be ours alone. */
export function assertPrivate(socket: string): void {
  const folder = dirname(socket);
  const { uid, mode } = lstatSync(folder);
  const isFolder = (mode & 0o170000) === 0o040000;
  if (!isFolder || uid !== process.getuid?.() || (mode & 0o022) !== 0) {
    throw new HostError('state_unusable', `${folder} is not a folder of yours alone`, {
      hint: 'remove it, or name another state directory with --state',
    });
  }
}
