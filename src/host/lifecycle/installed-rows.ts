import { HostError } from '../../model/host-error.js';
import type { Installation } from '../../model/installation.js';
import type { InstallationRows, StoredGeneration } from '../../store/installations.js';

/** The generation that is served; undefined if the package is not installed. */
export async function currentGeneration(
  rows: InstallationRows,
  id: string,
): Promise<StoredGeneration | undefined> {
  const installation = await rows.get(id);
  return installation && rows.generation(id, installation.current);
}

/** The generation that is served. Throws `not_found` if the package is not installed. */
export async function existingGeneration(rows: InstallationRows, id: string): Promise<StoredGeneration> {
  const current = await currentGeneration(rows, id);
  if (current === undefined) throw notInstalled(id);
  return current;
}

/** Throws `not_found` if the package is not installed. */
export async function existingInstallation(rows: InstallationRows, id: string): Promise<Installation> {
  const installation = await rows.get(id);
  if (installation === undefined) throw notInstalled(id);
  return installation;
}

/** Off means off: a package that is being revoked runs again only after it is installed again. */
export function assertServed({ package: id, state }: Installation): void {
  if (state === 'active') return;
  throw new HostError('disabled', `${id} is being revoked and does not run`, {
    hint: `finish it: toolwharf revoke ${id} --retry; or give up: toolwharf revoke ${id} --forget`,
  });
}

export function notInstalled(id: string): HostError {
  return new HostError('not_found', `${id} is not installed`, {
    hint: 'see "toolwharf list" for the installed packages',
  });
}
