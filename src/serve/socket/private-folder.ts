import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { HostError } from '../../model/host-error.js';

/** Another user who can write to the socket's folder could impersonate the host, so only this user may. */
export function assertPrivateFolder(socket: string): void {
  const folder = dirname(socket);
  const { uid, mode } = lstatSync(folder);
  const isFolder = (mode & 0o170000) === 0o040000;
  if (!isFolder || uid !== process.getuid?.() || (mode & 0o022) !== 0) {
    throw new HostError('state_unusable', `${folder} is not a folder that only you can write to`, {
      hint: 'remove it, or use another state directory with --state',
    });
  }
}
