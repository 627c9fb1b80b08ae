import { accessSync, constants, statSync } from 'node:fs';
import { makeFolder } from '../files/make-folder.js';
import { HostError } from '../model/host-error.js';

/**
 * Creates the state directory. Rejects one that other users own or can write to: it holds approvals and the audit
 * log.
 */
export function makeStateDirectory(state: string): void {
  const unusable = (why: string, cause?: unknown) =>
    new HostError('state_unusable', `the state directory ${state} cannot be used: ${why}`, {
      cause,
      hint: 'choose another one with --state',
    });
  let found: ReturnType<typeof statSync>;
  try {
    makeFolder(state, 0o700);
    found = statSync(state);
    accessSync(state, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(`it cannot be created or written to (${(error as NodeJS.ErrnoException).code})`, error);
  }
  if (found.uid !== process.getuid?.()) throw unusable('it belongs to another user');
  if ((found.mode & 0o022) !== 0) throw unusable('other users can write to it');
}
