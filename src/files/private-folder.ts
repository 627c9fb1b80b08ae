import { lstatSync } from 'node:fs';
import { HostError } from '../model/host-error.js';

/** Another user who can write to the folder could replace what is in it, such as the socket of the host. */
export function assertPrivateFolder(folder: string): void {
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0) {
    throw new HostError('state_unusable', `${folder} is not a folder that only you can write to`, {
      hint: 'remove it, or use another state directory with --state',
    });
  }
}
